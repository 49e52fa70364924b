import t from 'tap';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent, untilLogged } from './agent-process.ts';
import type { AgentProcess } from './agent-process.ts';
import { environmentSupport, setInstance, startAgentEnvironment } from './environment.ts';
import type { AgentTestEnvironment } from './environment.ts';
import { change, eventsOn, isInitialized, readNode, register, untilNode, untilReasons } from './nodes.ts';
import { createPod, createPodNamespace, endPods, podsOn, protectPod } from './pods.ts';

const supported = await environmentSupport();
const name = 'leaving';
const plainPods = 110;
const margin = 2;
const spotPath = 'meta-data/spot/instance-action';
const eventsPath = 'meta-data/events/maintenance/scheduled';
t.setTimeout(240_000);

await t.test('an agent drains the Node of a spot instance', requires(supported), async (t) => {
  const world = await startAgentEnvironment(t);
  const configFile = join(world.directory, 'config.yaml');
  await writeFile(configFile, `interruption:\n  marginMs: ${String(margin * 1_000)}\n`);
  await setInstance(world, {});
  await register(world, { name });
  await fill(world);
  const start = (flags: readonly string[] = []): AgentProcess =>
    startAgent(world, { nodeName: name, flags: ['--config', configFile, ...flags] });

  await t.test('a dry run writes nothing', async (t) => {
    const agent = start(['--dry-run']);
    await announce(world, 600);
    await untilLogged(agent, /Dry run: Node would be marked .*cordon/);
    await agent.stop();
    t.notOk((await readNode(world, name)).spec.unschedulable);
    t.strictSame(await eventsOn(world, name), []);
    await withdraw(world);
  });

  const ended = endPods(world, name);
  // Before the agent starts, since these events are read every 10 s. Far enough for a slow machine, near enough to drain.
  await announceStop(world, 540);
  let agent = start();
  await untilNode(world, name, 'is initialised', isInitialized);

  await t.test('marks first, then every pod that has to go, and no other', async (t) => {
    const node = await untilNode(world, name, 'is marked', isMarked);
    t.match(node.metadata.annotations?.[keys.interruptionState], /"hasOurCordon":true/);
    await waitUntil({ what: 'all pods gone but one', withinMs: 60_000, everyMs: 100 }, async () =>
      (await podsOn(world, name)).length === 4 ? true : undefined,
    );
    t.equal(ended.size, plainPods);
    t.ok(
      [...ended.values()].every(({ graceSeconds }) => graceSeconds === 5),
      'with their own grace',
    );
    const left = (await podsOn(world, name)).map(({ metadata }) => metadata.name);
    t.strictSame(left.toSorted(), ['completed', 'daemon', 'excluded', 'protected']);
    await untilNode(world, name, 'has the condition', ({ status }) =>
      (status.conditions ?? []).some(
        ({ type, status: value }) => type === keys.interruptionCondition && value === 'True',
      ),
    );
  });

  await t.test('SIGTERM ends it at once, and leaves the marks', async (t) => {
    const { code, durationMs } = await agent.stop();
    t.equal(code, 0);
    t.ok(durationMs < 5_000, String(durationMs));
    t.ok(isMarked(await readNode(world, name)));
    t.equal(ended.has('protected'), false);
  });

  await t.test('the next agent goes on, and a protected pod gets what is left before the end', async (t) => {
    agent = start();
    await announce(world, 20 + margin);
    await waitUntil({ what: 'the protected pod gone', withinMs: 60_000, everyMs: 100 }, () =>
      Promise.resolve(ended.has('protected') ? true : undefined),
    );
    const grace = ended.get('protected')?.graceSeconds ?? 0;
    t.ok(grace > 2 && grace < 30, `it had ${String(grace)} s`);
    await untilLogged(agent, /Drain finished/);
    await untilReasons(world, name, ['InterruptionAnnounced', 'DrainStarted', 'DrainBlocked', 'DrainFinished']);
  });

  await t.test('a withdrawn notice: only the marks of the agent go', async (t) => {
    await change(world, name, { metadata: { labels: { 'example.com/keep': 'x' } } });
    await withdraw(world);
    const node = await untilNode(world, name, 'is as before', ({ spec }) => spec.unschedulable !== true);
    t.notOk(node.spec.taints?.some(({ key }) => key === keys.interruptionTaint));
    t.equal(node.metadata.annotations?.[keys.interruptionState], undefined);
    await untilNode(world, name, 'has the condition', ({ status }) =>
      (status.conditions ?? []).some(
        ({ type, status: value }) => type === keys.interruptionCondition && value === 'False',
      ),
    );
    t.equal((await podsOn(world, name)).length, 3);
    await agent.stop();
  });
});

async function fill(world: AgentTestEnvironment): Promise<void> {
  await createPodNamespace(world);
  const names = Array.from({ length: plainPods }, (_, at) => `web-${String(at)}`);
  for (const each of names) await createPod(world, { name: each, nodeName: name, graceSeconds: 5 });
  await createPod(world, { name: 'daemon', nodeName: name, owner: 'DaemonSet' });
  await createPod(world, { name: 'completed', nodeName: name, phase: 'Succeeded' });
  await createPod(world, { name: 'excluded', nodeName: name, annotations: { [keys.drainPod]: 'false' } });
  await createPod(world, { name: 'protected', nodeName: name, graceSeconds: 30 });
  await protectPod(world, 'protected');
}

async function announce({ aws }: AgentTestEnvironment, inSeconds: number): Promise<void> {
  const time = new Date(Date.now() + inSeconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await aws.update({ metadata: { [spotPath]: JSON.stringify({ action: 'terminate', time }) } });
}

async function announceStop({ aws }: AgentTestEnvironment, inSeconds: number): Promise<void> {
  const NotBefore = new Date(Date.now() + inSeconds * 1_000).toUTCString().slice('Wed, '.length);
  const event = { EventId: 'instance-event-1', Code: 'instance-stop', State: 'active', NotBefore };
  await aws.update({ metadata: { [eventsPath]: JSON.stringify([event]) } });
}

async function withdraw({ aws }: AgentTestEnvironment): Promise<void> {
  await aws.update({ metadata: { [spotPath]: null, [eventsPath]: null } });
}

function isMarked({ spec }: Node): boolean {
  const isTainted = (spec.taints ?? []).some(
    ({ key, effect }) => key === keys.interruptionTaint && effect === 'NoSchedule',
  );
  return spec.unschedulable === true && isTainted;
}
