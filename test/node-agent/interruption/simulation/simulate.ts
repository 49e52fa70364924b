import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { createRandom } from '../../../support/random.ts';
import { errorOf } from '../drain/fake-pods.ts';
import { drainPod } from '../drain/pods.ts';
import { createMachine, markText } from '../harness.ts';
import type { Machine, RunningAgent } from '../harness.ts';
import { nowMs, secondMs } from '../notices.ts';
import { createChecks } from './checks.ts';
import { createScenario, holds, scenarioEndS, settings, sources, troublesAt } from './scenario.ts';
import type { PlannedPod, Scenario, Trouble } from './scenario.ts';

export interface SimulationResult {
  /** Empty: all promises were kept. */
  readonly violations: readonly string[];
  readonly evicted: number;
  readonly deleted: number;
  readonly drains: number;
}

const pollEveryS = 2;

/** One machine with random notices, pods and failures, on a fake clock. The same label gives the same run. */
export async function simulate(label: string): Promise<SimulationResult> {
  const scenario = createScenario(createRandom(label));
  const present = scenario.pods.filter(({ comesAtS }) => comesAtS === undefined);
  const machine = createMachine(present.map((pod) => toPod(pod)));
  const person = scenario.hasCordonOfPerson ? { unschedulable: true } : {};
  machine.change((node) => ({ ...node, spec: { taints: [theirs], ...person } }));
  const before = machine.api.node.spec;
  const checks = createChecks(scenario, machine);
  let agent: RunningAgent | undefined;
  for (let second = 0; second <= scenarioEndS; second++) {
    const isDown = scenario.restarts.some((span) => holds(span, second));
    if (isDown && agent !== undefined) await agent.stop();
    agent = isDown ? undefined : (agent ?? machine.startAgent(settings));
    applyWorld(machine, scenario, second);
    if (agent !== undefined && second % pollEveryS === 0) checks.polled(poll(agent, scenario, second), second);
    checks.before(second, agent !== undefined);
    await machine.clock.advance(secondMs);
    checks.after(second);
  }
  await agent?.stop();
  checks.ended(leftMarks(machine.api.node, before));
  const { accepted } = machine.pods;
  return {
    violations: checks.violations,
    evicted: accepted.filter((line) => line.includes(' evict ')).length,
    deleted: accepted.filter((line) => line.includes(' delete ')).length,
    drains: machine.events.filter(({ reason }) => reason === 'DrainFinished').length,
  };
}

const theirs = { key: 'example.com/keep', effect: 'NoSchedule' } as const;

function toPod({ name, graceSeconds, order, stays, comesAtS }: PlannedPod): ReturnType<typeof drainPod> {
  return drainPod(name, {
    graceSeconds,
    annotations: { [keys.drainOrder]: String(order), ...(stays && { [keys.drainPod]: 'false' }) },
    ...(comesAtS !== undefined && { createdAtMs: nowMs + comesAtS * secondMs }),
  });
}

/** What works in this second, and what does not. */
function applyWorld({ api, pods, change }: Machine, scenario: Scenario, second: number): void {
  const has = (kind: Trouble['kind']): boolean => troublesAt(scenario, second).has(kind);
  api.fails = has('node-writes') ? errorOf('unavailable') : undefined;
  api.hangs = has('node-hangs');
  const podError = has('pods-fail') ? errorOf('unavailable') : undefined;
  pods.everything = has('pods-throttled') ? errorOf('throttled', 3_000) : podError;
  pods.hangs.clear();
  for (const pod of scenario.pods) {
    if (has('pods-hang')) pods.hangs.add(pod.name);
    if (pod.budgetOpensAtS !== undefined && second < pod.budgetOpensAtS) pods.refuses.set(pod.name, 'blocked');
    else pods.refuses.delete(pod.name);
    if (pod.comesAtS === second) pods.pods.set(pod.name, toPod(pod));
  }
  if (scenario.otherWrites.includes(second)) {
    change((node) => ({ ...node, metadata: { ...node.metadata, labels: {} } }));
  }
}

/** Returns the sources that were read. */
function poll(agent: RunningAgent, scenario: Scenario, second: number): readonly string[] {
  const troubles = troublesAt(scenario, second);
  if (troubles.has('metadata')) {
    agent.loop.pollFailed();
    return [];
  }
  const unread = troubles.has('source') ? ['spot'] : [];
  const read: readonly string[] = sources.filter((source) => !unread.includes(source));
  const listed = scenario.notices.filter((planned) => holds(planned, second) && read.includes(planned.notice.source));
  agent.announce(
    listed.map(({ notice }) => notice),
    unread,
  );
  return read;
}

/** What should not be there after all notices are gone. */
function leftMarks(node: Node, before: Node['spec']): readonly string[] {
  const condition = node.status.conditions?.find(({ type }) => type === keys.interruptionCondition);
  return [
    ...(JSON.stringify(node.spec.taints) === JSON.stringify(before.taints) ? [] : [`taints: ${markText(node)}`]),
    ...(node.spec.unschedulable === before.unschedulable ? [] : [`cordon: ${String(node.spec.unschedulable)}`]),
    ...(node.metadata.annotations?.[keys.interruptionState] === undefined ? [] : ['the state']),
    ...(condition?.status === 'True' ? ['the condition'] : []),
  ];
}
