import { setTimeout as wait } from 'node:timers/promises';
import type { Test } from 'tap';
import { readState } from '../../../../node-agent/interruption/state.ts';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { Random } from '../../../support/random.ts';
import { startAgent, untilLogged } from './agent-process.ts';
import type { AgentProcess } from './agent-process.ts';
import { setInstance } from './environment.ts';
import type { AgentTestEnvironment } from './environment.ts';
import { isUnmarked, marksOf } from './marks.ts';
import { isInitialized, register, requestsBy, untilNode } from './nodes.ts';
import { allowEviction, createPod, createPodNamespace, endPods, podsOn, protectPod } from './pods.ts';
import type { EndedPod } from './pods.ts';
import { watchNode } from './watch-node.ts';

export interface KillPlan {
  readonly drains: number;
  /** Of each drain. */
  readonly kills: number;
  /** After the notice of each drain was withdrawn. */
  readonly killsOfUndo: number;
  readonly random: Random;
}

const name = 'killed';
const longestLifeMs = 1_000;
/** Far enough that no pod is deleted in spite of its budget or its order, however slow the machine is. */
const deadlineMs = 9 * 60_000;
const ownGraceSeconds = 20;
const endingMs = 700;
const orders = [0, 1, 2, 3, 4, 5, 6];
const doneWithin = { withinMs: 90_000, everyMs: 100 };

/** An agent that is killed again and again while it drains its Node, and while it undoes its marks. */
export async function killRepeatedly(t: Test, world: AgentTestEnvironment, plan: KillPlan): Promise<void> {
  await setInstance(world, {});
  const registered = await register(world, { name });
  await createPodNamespace(world);
  const states = await watchNode(world, registered);
  const ended = endPods(world, name, endingMs);
  let agent = startAgent(world, { nodeName: name });
  await untilNode(world, name, 'is initialised', isInitialized);
  for (let drain = 0; drain < plan.drains; drain++) {
    const from = states.length;
    const prefix = `drain-${String(drain)}-`;
    await fill(world, prefix);
    await announce(world);
    for (let kills = 0; kills < plan.kills; kills++) {
      // The others are killed while they start.
      if (plan.random.chance(0.7)) await untilLogged(agent, /"Drain started"/);
      agent = await killLater(world, agent, plan.random);
    }
    await allowEviction(world, `${prefix}protected`);
    await waitUntil({ what: 'all that have to go are gone', ...doneWithin }, async () =>
      (await podsOn(world, name)).length === stayingCount * (drain + 1) ? true : undefined,
    );
    await untilNode(world, name, 'is drained', (node) => readState(node).drain?.isFinished === true);
    await withdraw(world);
    for (let kills = 0; kills < plan.killsOfUndo; kills++) agent = await killLater(world, agent, plan.random);
    await untilNode(world, name, 'is as before', isUnmarked);
    await checkPods(t, world, prefix, ended);
    await checkStates(t, states, from);
  }
  await agent.stop();
}

/** Gives the next agent. */
async function killLater(world: AgentTestEnvironment, agent: AgentProcess, random: Random): Promise<AgentProcess> {
  await wait(random.between(0, longestLifeMs));
  await agent.kill();
  return startAgent(world, { nodeName: name });
}

const stayingCount = 3;

async function fill(world: AgentTestEnvironment, prefix: string): Promise<void> {
  const pod = { nodeName: name, graceSeconds: ownGraceSeconds };
  for (const order of orders) {
    const annotations = { [keys.drainOrder]: String(order) };
    for (const each of ['a', 'b']) await createPod(world, { ...pod, name: nameOf(prefix, order, each), annotations });
  }
  await createPod(world, { ...pod, name: `${prefix}protected` });
  await protectPod(world, `${prefix}protected`);
  await createPod(world, { ...pod, name: `${prefix}daemon`, owner: 'DaemonSet' });
  await createPod(world, { ...pod, name: `${prefix}completed`, phase: 'Succeeded' });
  await createPod(world, { ...pod, name: `${prefix}excluded`, annotations: { [keys.drainPod]: 'false' } });
}

function nameOf(prefix: string, order: number, each: string): string {
  return `${prefix}order-${String(order)}-${each}`;
}

async function announce({ aws }: AgentTestEnvironment): Promise<void> {
  const time = new Date(Date.now() + deadlineMs).toISOString().replace(/\.\d+Z$/, 'Z');
  await aws.update({ metadata: { 'meta-data/spot/instance-action': JSON.stringify({ action: 'stop', time }) } });
}

async function withdraw({ aws }: AgentTestEnvironment): Promise<void> {
  await aws.update({ metadata: { 'meta-data/spot/instance-action': null } });
}

interface PodRequest {
  readonly name: string;
  readonly receivedAtMs: number;
  readonly graceSeconds: number | undefined;
}

/** The right pods, each with its own grace and in its turn. */
async function checkPods(
  t: Test,
  world: AgentTestEnvironment,
  prefix: string,
  ended: ReadonlyMap<string, EndedPod>,
): Promise<void> {
  const expected = orders.flatMap((order) => ['a', 'b'].map((each) => nameOf(prefix, order, each)));
  const gone = [...ended].filter(([pod]) => pod.startsWith(prefix));
  t.strictSame(new Set(gone.map(([pod]) => pod)), new Set([...expected, `${prefix}protected`]), 'these are gone');
  t.ok(
    gone.every(([, { graceSeconds }]) => graceSeconds === ownGraceSeconds),
    'with their own grace',
  );
  const requests = (await acceptedRequests(world)).filter((request) => request.name.startsWith(prefix));
  const shorter = requests.filter(({ graceSeconds = ownGraceSeconds }) => graceSeconds < ownGraceSeconds);
  t.strictSame(shorter, [], 'no request shortened it');
  for (const order of orders.slice(1)) {
    const before = ['a', 'b'].map((each) => ended.get(nameOf(prefix, order - 1, each))?.endedAtMs ?? Infinity);
    const own = requests.filter((request) => request.name.startsWith(nameOf(prefix, order, '')));
    const first = Math.min(...own.map(({ receivedAtMs }) => receivedAtMs));
    t.ok(own.length >= 2 && first >= Math.max(...before), `order ${String(order)} after those before it`);
  }
}

/** To evict or to delete a pod. */
async function acceptedRequests(world: AgentTestEnvironment): Promise<readonly PodRequest[]> {
  const requests = await requestsBy(world, 'polycloud-node-agent');
  return requests
    .filter(({ verb, objectRef }) => objectRef?.resource === 'pods' && (verb === 'create' || verb === 'delete'))
    .filter(({ responseStatus }) => (responseStatus?.code ?? 0) < 300)
    .map(({ objectRef, requestReceivedTimestamp, requestObject }) => ({
      name: objectRef?.name ?? '',
      receivedAtMs: Date.parse(requestReceivedTimestamp),
      graceSeconds: graceIn(requestObject),
    }));
}

interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
}

function graceIn(body: unknown): number | undefined {
  const { deleteOptions, gracePeriodSeconds } = body as DeleteOptions & { readonly deleteOptions?: DeleteOptions };
  return (deleteOptions ?? { gracePeriodSeconds }).gracePeriodSeconds;
}

/** All marks at once, for one drain that began once, and all of them away at once. */
async function checkStates(t: Test, states: readonly Node[], from: number): Promise<void> {
  await waitUntil({ what: 'the watch has delivered it', ...doneWithin }, () => {
    const last = states.at(-1);
    return Promise.resolve((states.length > from && last !== undefined && isUnmarked(last)) || undefined);
  });
  const seen = states.slice(from);
  const marks = withoutRepetitions(['', ...seen.map((node) => marksOf(node))]);
  t.strictSame(marks, ['', 'ends:NoSchedule cordon', ''], 'the marks');
  const marked = seen.filter((node) => marksOf(node) !== '').map((node) => readState(node));
  t.ok(
    marked.every(({ hasOurCordon }) => hasOurCordon),
    'it is our cordon',
  );
  const starts = new Set(marked.map(({ drain }) => drain?.startedAtMs));
  t.equal(starts.size, 1, 'the drain began once');
  t.strictSame(withoutRepetitions(marked.map(({ drain }) => drain?.isFinished)), [false, true], 'and ended once');
}

function withoutRepetitions<T>(values: readonly T[]): readonly T[] {
  return values.filter((value, index) => index === 0 || value !== values[index - 1]);
}
