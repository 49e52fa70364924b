import t from 'tap';
import type { Test } from 'tap';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { controlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent, untilLogged } from './agent-process.ts';
import type { AgentProcess } from './agent-process.ts';
import { environmentSupport, setInstance, startMachineEnvironment } from './environment.ts';
import type { AgentTestEnvironment } from './environment.ts';
import { isUnmarked, marksOf } from './marks.ts';
import { change, isInitialized, readNode, register, requestsBy, untilNode } from './nodes.ts';
import { allowEviction, createPod, createPodNamespace, endPods, podsOn, protectPod } from './pods.ts';
import { watchNode } from './watch-node.ts';

const name = 'outages';
const timeout = 240_000;
const spotPath = 'meta-data/spot/instance-action';
const marked = 'ends:NoSchedule cordon';
const soon = { withinMs: 60_000, everyMs: 100 };
t.setTimeout(timeout);

await t.test('a drain while others are away', { ...requires(await environmentSupport()), timeout }, async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const world = await startMachineEnvironment(t, plane);
  await setInstance(world, {});
  await register(world, { name });
  await createPodNamespace(world);
  for (const pod of ['web-1', 'web-2']) await createPod(world, { name: pod, nodeName: name });
  for (const pod of ['first', 'second']) {
    await createPod(world, { name: pod, nodeName: name });
    await protectPod(world, pod);
  }
  await createPod(world, { name: 'excluded', nodeName: name, annotations: { [keys.drainPod]: 'false' } });
  let agent = startAgent(world, { nodeName: name });
  await untilNode(world, name, 'is initialised', isInitialized);
  await untilPolled(world, 1);

  await t.test('a notice comes while the API server is away', async () => {
    await plane.killApiServer();
    await announce(world);
    await untilLogged(agent, /"Node cannot be marked for an interruption"/);
    await plane.startApiServer();
    await untilNode(world, name, 'is marked', (node) => marksOf(node) === marked);
  });

  const ended = endPods(world, name);
  const states = await watchNode(world, await readNode(world, name));
  await t.test('budgets hold pods back, and a pod goes once its budget allows it', async (t) => {
    await untilLeft(world, ['excluded', 'first', 'second']);
    await untilLogged(agent, /"A disruption budget protects a pod" .*pod="shop\/first"/);
    await allowEviction(world, 'first');
    await untilLeft(world, ['excluded', 'second']);
    t.equal(ended.get('first')?.graceSeconds, 30, 'with its own grace');
    const codes = await evictionCodes(world, 'first');
    t.ok(codes.length >= 2);
    t.ok(codes.slice(0, -1).every((code) => code === 429));
    t.equal(codes.at(-1), 201);
  });

  await t.test('the metadata service is away: what it announced still holds', async (t) => {
    await world.aws.addFault({ service: 'imds', kind: 'refuse' });
    await untilLogged(agent, /"Notices cannot be read".*source="spot"/);
    await world.aws.clearFaults();
    await untilLogged(agent, /"Notices are read again" source="spot"/);
    await checkStillMarked(t, world, states);
  });

  await t.test('SIGTERM while the API server does not respond ends the agent, and leaves the marks', async (t) => {
    plane.pause('kube-apiserver');
    const { code } = await agent.stop();
    plane.resume('kube-apiserver');
    t.equal(code, 0);
    t.equal(marksOf(await readNode(world, name)), marked);
  });

  await t.test('the next agent goes on, although the source of its notice is away', async (t) => {
    await world.aws.addFault({ service: 'imds', kind: 'status', status: 503, pathPrefix: `/latest/${spotPath}` });
    agent = startAgent(world, { nodeName: name });
    await untilLogged(agent, /"Notices cannot be read".*source="spot"/);
    await allowEviction(world, 'second');
    await untilLeft(world, ['excluded']);
    await untilLogged(agent, /"Drain finished"/);
    await checkStillMarked(t, world, states);
  });

  await t.test('a notice was withdrawn while the metadata service was away', async () => {
    await withdraw(world);
    await world.aws.clearFaults();
    await untilNode(world, name, 'is as before', isUnmarked);
  });

  await t.test('a notice waits when the metadata service is back, and all of its tokens have ended', async () => {
    await world.aws.addFault({ service: 'imds', kind: 'refuse' });
    const lines = failuresIn(agent);
    await waitUntil({ what: 'it is away', ...soon }, () => Promise.resolve(failuresIn(agent) > lines || undefined));
    await announce(world);
    await endTokens(world);
    await world.aws.clearFaults();
    await untilNode(world, name, 'is marked', (node) => marksOf(node) === marked);
    await withdraw(world);
    await endTokens(world);
    await untilNode(world, name, 'is as before', isUnmarked);
  });
});

/** Far enough that no budget is overridden. */
async function announce({ aws }: AgentTestEnvironment): Promise<void> {
  const time = new Date(Date.now() + 9 * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await aws.update({ metadata: { [spotPath]: JSON.stringify({ action: 'terminate', time }) } });
}

async function withdraw({ aws }: AgentTestEnvironment): Promise<void> {
  await aws.update({ metadata: { [spotPath]: null } });
}

async function endTokens({ aws }: AgentTestEnvironment): Promise<void> {
  const { metadataTokens } = await aws.state();
  await aws.update({ metadataTokens: Object.fromEntries(Object.keys(metadataTokens).map((token) => [token, 0])) });
}

/** In each state that the watch has delivered, up to one that is made for this. */
async function checkStillMarked(t: Test, world: AgentTestEnvironment, states: readonly Node[]): Promise<void> {
  const check = String(states.length);
  await change(world, name, { metadata: { labels: { 'example.com/check': check } } });
  await waitUntil({ what: 'the watch is up to date', ...soon }, () =>
    Promise.resolve(states.at(-1)?.metadata.labels?.['example.com/check'] === check || undefined),
  );
  t.ok(
    states.every((node) => marksOf(node) === marked),
    'it was marked all the time',
  );
}

async function untilLeft(world: AgentTestEnvironment, names: readonly string[]): Promise<void> {
  await waitUntil({ what: `only ${names.join(', ')} left`, ...soon }, async () => {
    const left = (await podsOn(world, name)).map(({ metadata }) => metadata.name);
    return left.toSorted().join() === names.join() || undefined;
  });
}

async function evictionCodes(world: AgentTestEnvironment, pod: string): Promise<readonly (number | undefined)[]> {
  return (await requestsBy(world, 'polycloud-node-agent'))
    .filter(({ objectRef }) => objectRef?.subresource === 'eviction' && objectRef.name === pod)
    .map(({ responseStatus }) => responseStatus?.code);
}

function failuresIn(agent: AgentProcess): number {
  return agent.output().split('"Notices cannot be read"').length;
}

async function untilPolled({ aws }: AgentTestEnvironment, times: number): Promise<void> {
  await waitUntil({ what: 'polls', ...soon }, async () =>
    (await aws.requests()).filter(({ path }) => path.endsWith(spotPath)).length >= times ? true : undefined,
  );
}
