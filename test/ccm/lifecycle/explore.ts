import type { Alphabet } from './alphabets.ts';
import { keyOf } from './state-key.ts';
import { violationsOf } from './specification.ts';
import { initialState, applyStep } from './model.ts';
import type { ModelStep, StepResult, Implementation, ModelState } from './model.ts';

export interface ExplorationResult {
  readonly states: readonly ModelState[];
  readonly edges: number;
  readonly deletions: number;
  /** The shortest way to a wrong deletion, in words; the exploration ends there. */
  readonly violation?: string;
}

interface VisitedState {
  readonly state: ModelState;
  readonly from?: VisitedState;
  readonly step?: ModelStep;
}

/** Far above what any of the explorations needs: a state space that never ends is a mistake of the key. */
const maxStates = 100_000;

/** Breadth first over distinct worlds, until there is no new one or an edge is wrong. */
export function explore(implementation: Implementation, alphabet: Alphabet): ExplorationResult {
  const queue: VisitedState[] = [{ state: initialState }];
  const seen = new Set([keyOf(initialState, alphabet)]);
  let edges = 0;
  let deletions = 0;
  for (const from of queue) {
    for (const step of alphabet.steps) {
      const stepped = applyStep(from.state, step, implementation, alphabet.promised);
      const to = { state: stepped.state, from, step };
      edges += 1;
      if (stepped.action?.do === 'delete') deletions += 1;
      const violation = violationOf(stepped, alphabet);
      if (violation !== '') {
        return { ...explorationResult(queue, edges, deletions), violation: `${violation}: ${pathTo(to)}` };
      }
      if (isNew(seen, keyOf(to.state, alphabet))) queue.push(to);
    }
    if (queue.length > maxStates) throw new Error(`${alphabet.name}: more than ${maxStates} worlds`);
  }
  return explorationResult(queue, edges, deletions);
}

function violationOf({ state, action, observed }: StepResult, { promised }: Alphabet): string {
  if (action === undefined || observed === undefined) return '';
  return violationsOf(state.history, observed, action, promised).join(', ');
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function explorationResult(queue: readonly VisitedState[], edges: number, deletions: number): ExplorationResult {
  return { states: queue.map(({ state }) => state), edges, deletions };
}

function pathTo(visited: VisitedState): string {
  const steps: string[] = [];
  for (let each: VisitedState | undefined = visited; each?.step !== undefined; each = each.from) {
    steps.push(JSON.stringify(each.step));
  }
  return steps.toReversed().join(' → ');
}
