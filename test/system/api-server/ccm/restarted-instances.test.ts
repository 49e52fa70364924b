import { setTimeout } from 'node:timers/promises';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { soonMs, startController } from './controller-process.ts';
import { readNodes, registerKnown, setReady } from './nodes.ts';
import { onCluster } from './on-cluster.ts';
import { changeInstance, launchInstances } from './environment.ts';
import type { TestEnvironment } from './environment.ts';

const repetitions = 20;
/** The usual monitor period. */
const removedWithinMs = 5_000;
/** No look-up comes to help. */
const flags = ['--node-monitor-period', '1m', '--node-status-update-frequency', '5m'];
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';
/** They start one after the other, so that some do while the controller asks for them or writes them. */
const apartMs = 150;

await onCluster(`${repetitions} stopped instances start again while others write their Nodes`, async (t, world) => {
  const [awake, ...instances] = await launchInstances(world, repetitions + 1, 15);
  if (awake === undefined) throw new Error('the fleet is too small');
  await registerKnown(world, 'awake', awake, true);
  const stopped = instances.map((instance, index) => ({ instance, name: `stopped-${String(index)}` }));
  for (const { instance, name } of stopped) {
    await changeInstance(world, instance, { state: 'stopped' });
    await registerKnown(world, name, instance, false);
  }
  await startController(world, { deletion: {}, flags });
  await waitUntil({ what: 'all have the shutdown taint', withinMs: soonMs, everyMs: 50 }, async () => {
    const tainted = (await readNodes(world)).filter(hasTaint);
    return tainted.length === repetitions || undefined;
  });

  const loaded = new AbortController();
  const load = [1, 2].map(() => writeUntil(world, 'awake', loaded.signal));
  const readyAtMs = new Map<string, number>();
  const starting = stopped.map(async ({ instance, name }, index) => {
    await setTimeout(index * apartMs);
    await changeInstance(world, instance, { state: 'running' });
    // Others write at the same moment, and never again.
    await Promise.all([setReady(world, name, true), ...[1, 2, 3].map((count) => write(world, name, count))]);
    readyAtMs.set(name, Date.now());
  });
  const tookMs = new Map<string, number>();
  await waitUntil({ what: 'no shutdown taint is left', withinMs: soonMs, everyMs: 50 }, async () => {
    for (const node of await readNodes(world)) {
      const { name } = node.metadata;
      const atMs = readyAtMs.get(name);
      if (atMs !== undefined && !hasTaint(node) && !tookMs.has(name)) tookMs.set(name, Date.now() - atMs);
    }
    return tookMs.size === repetitions || undefined;
  }).finally(() => loaded.abort());
  await Promise.all([...load, ...starting]);
  const longestMs = Math.max(...tookMs.values());
  t.ok(longestMs <= removedWithinMs, `the last one after ${String(longestMs)} ms`);
});

async function writeUntil(environment: TestEnvironment, name: string, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) await write(environment, name, count);
}

async function write({ plane }: TestEnvironment, name: string, count: number): Promise<void> {
  const labels = { 'example.com/count': String(count) };
  await plane.ask('PATCH', `/api/v1/nodes/${name}`, { metadata: { labels } });
}

function hasTaint({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === shutdown);
}
