import { combine, leftOut } from '../look-up/combine.ts';
import type { Answer } from '../look-up/combine.ts';
import { lookBatch } from '../look-up/look.ts';
import type { BatchAnswer } from '../look-up/look.ts';
import type { Claim } from '../node/ownership.ts';
import { batchFor } from './batches.ts';
import type { Group } from './batches.ts';
import { describeError } from './background.ts';
import { LeadershipLost } from '../cluster/leadership-lost.ts';
import type { State } from './controller.ts';
import { settle } from './settle.ts';
import type { Said } from './settle.ts';
import { claimsOf } from './tracked.ts';
import type { Tracked } from './tracked.ts';

/** Asks for a group in all of its places, and does what follows for each of its nodes. */
export async function work(group: Group, state: State, signal: AbortSignal): Promise<void> {
  const askedAtMs = state.dependencies.clock.monotonicMs();
  const answers = await Promise.all(group.claims.map((claim) => ask(claim, group, state, signal)));
  const settling = group.members.map(async (tracked) => {
    await settleOne(tracked, { answer: answerFor(tracked, answers), askedAtMs }, state);
  });
  await Promise.all(settling);
}

async function ask(claim: Claim, group: Group, state: State, signal: AbortSignal): Promise<BatchAnswer> {
  const canaries = state.scopes.pickCanaries(state.nodes.values(), claim.scope.key, group.members);
  const answer = await lookBatch(batchFor(claim, group, canaries), state.dependencies.contextFor(signal));
  state.scopes.told(claim, answer, state.nodes);
  return answer;
}

/** One node that cannot be written does not keep the others waiting. */
async function settleOne(tracked: Tracked, said: Said, state: State): Promise<void> {
  const { dependencies, nodes, scopes, timetable } = state;
  let lookAgainInMs: number | undefined;
  try {
    if (nodes.has(tracked.uid)) lookAgainInMs = await settle(tracked, said, scopes, dependencies);
  } catch (error) {
    if (error instanceof LeadershipLost) throw error;
    tracked.failures += 1;
    tracked.reason = describeError(error);
    dependencies.log.say(`node ${tracked.node.metadata.name}: ${tracked.reason}`);
  } finally {
    tracked.busy = false;
    tracked.dueAtMs = timetable.afterLook(tracked, lookAgainInMs);
  }
}

function answerFor(tracked: Tracked, answers: readonly BatchAnswer[]): Answer {
  const finding = leftOut(claimsOf(tracked)[0]?.cloud.name ?? 'the cloud');
  const all = answers.map(({ findings, canary }) => ({ finding: findings.get(tracked.uid) ?? finding, canary }));
  const [first, ...others] = all;
  return first === undefined ? { finding, canary: { asked: 0, found: 0 } } : combine([first, ...others]);
}
