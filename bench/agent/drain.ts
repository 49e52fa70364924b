import { setTimeout as wait } from 'node:timers/promises';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { watchPeak } from '../harness/memory-peak.ts';
import { rotated } from '../harness/measure.ts';
import { startReplica } from '../harness/replica.ts';
import type { Replica } from '../harness/replica.ts';
import { toSamples } from '../harness/samples.ts';
import type { BenchSample } from '../harness/samples.ts';
import { watchNodes } from '../harness/watch-nodes.ts';
import type { NodeWatch } from '../harness/watch-nodes.ts';
import { readsOf, resetMetadata, spotPath } from './fixture.ts';
import type { AgentFixture } from './fixture.ts';
import { addPods, clearCluster, registerNode } from './full-node.ts';
import { kbPerMb, msPerSecond, ours } from './section.ts';
import type { AgentSection } from './section.ts';
import type { AgentSubject } from './subjects.ts';
import { watchPods } from './watch-pods.ts';

const podCount = 110;
const title = 'notice, 110 pods';
const lastAsked = 'the last one is asked to go after, s';
const startTitle = 'start';
const initialised = 'initialised after, s';

/** From a spot notice until the last pod of a full Node was asked to go. */
export const drain: AgentSection = {
  gates: [
    { variant: ours, metric: `${startTitle}: ${initialised}`, atMost: 1 },
    { variant: ours, metric: `${title}: ${lastAsked}`, atMost: 2 },
    { variant: ours, metric: `${title}: ${lastAsked}`, dividedBy: 'termination handler', atMost: 0.1 },
  ],
  run: async (context) => {
    const { ours: agent, peer } = context.subjects;
    const samples: BenchSample[] = [];
    for (let round = 0; round < context.rounds; round += 1) {
      for (const subject of rotated([agent, peer], round)) {
        const pollShare = (round + 0.5) / context.rounds;
        const { start, notice } = await drainOnce(context.fixture, subject, { podCount, pollShare });
        context.log(`${title}, ${subject.name}: ${notice[lastAsked].toFixed(2)} s`);
        samples.push(...toSamples(subject.name, startTitle, start), ...toSamples(subject.name, title, notice));
      }
    }
    return samples;
  },
};

export interface DrainWorkload {
  readonly podCount: number;
  /** When the notice comes, between one poll (0) and the next (1). */
  readonly pollShare: number;
}

export interface DrainResult {
  readonly start: Readonly<Record<string, number>>;
  readonly notice: Readonly<Record<typeof lastAsked, number>> & Readonly<Record<string, number>>;
}

export async function drainOnce(
  fixture: AgentFixture,
  subject: AgentSubject,
  workload: DrainWorkload,
): Promise<DrainResult> {
  await resetMetadata(fixture);
  await clearCluster(fixture);
  await registerNode(fixture, subject.nodeName);
  await addPods(fixture, subject.nodeName, workload.podCount);
  const nodeWatch = await watchNodes(fixture);
  const podWatch = await watchPods(fixture, subject.nodeName);
  const replica = await startReplica(subject, fixture);
  try {
    const peak = watchPeak(replica);
    await nextPoll(fixture, replica);
    const isOurs = subject.name === ours;
    const start = isOurs ? { [initialised]: (await initialisedAt(nodeWatch)) - replica.startedAtMs } : {};
    await nextPoll(fixture, replica);
    await wait(workload.pollShare * subject.pollMs);
    const cpuBeforeS = replica.cpuS();
    const noticeAtMs = await announce(fixture);
    await waitUntil({ what: `${subject.name} asks all pods to go`, withinMs: 120_000, everyMs: 10 }, async () => {
      await replica.check();
      return podWatch.askedAtMs().size >= workload.podCount ? true : undefined;
    });
    const lastAtMs = Math.max(...podWatch.askedAtMs().values());
    const readAtMs = await noticeReadAt(fixture);
    const cordonedAtMs = cordonedAt(nodeWatch);
    return {
      start: inSeconds(start),
      notice: {
        ...inSeconds({
          'read after, s': readAtMs - noticeAtMs,
          'the Node is cordoned after, s': cordonedAtMs - noticeAtMs,
          'from the read to the last pod, s': lastAtMs - readAtMs,
        }),
        [lastAsked]: (lastAtMs - noticeAtMs) / msPerSecond,
        'processor time, s': replica.cpuS() - cpuBeforeS,
        'peak RssAnon, MB': peak.peakKb() / kbPerMb,
      },
    };
  } finally {
    await replica.end(subject.endSignal);
    await Promise.all([nodeWatch.close(), podWatch.close()]);
  }
}

/** Waits until the notices are read once more. */
async function nextPoll(fixture: AgentFixture, replica: Replica): Promise<void> {
  const before = (await readsOf(fixture, spotPath)).length;
  await waitUntil({ what: 'the notices are read', withinMs: 60_000, everyMs: 5 }, async () => {
    await replica.check();
    return (await readsOf(fixture, spotPath)).length > before ? true : undefined;
  });
}

function initialisedAt(watch: NodeWatch): Promise<number> {
  return waitUntil({ what: 'the Node is initialised', withinMs: 60_000, everyMs: 10 }, () =>
    Promise.resolve(
      [...watch.observedNodes().values()].find((node) => node.initialisedAtMs !== undefined)?.initialisedAtMs,
    ),
  );
}

const noticeMs = 120_000;

/** As EC2 announces that it takes a spot instance back. Returns when, by the clock of `performance.now()`. */
async function announce({ aws }: AgentFixture): Promise<number> {
  const time = new Date(Date.now() + noticeMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const noticeAtMs = performance.now();
  await aws.update({ metadata: { [spotPath]: JSON.stringify({ action: 'terminate', time }) } });
  return noticeAtMs;
}

/** The log has the time of day. */
async function noticeReadAt(fixture: AgentFixture): Promise<number> {
  const read = (await readsOf(fixture, spotPath)).find(({ status }) => status === 200);
  return (read?.receivedAtMs ?? Infinity) - performance.timeOrigin;
}

/** Pods may be asked to go on a Node that is not cordoned; then it counts as never. */
function cordonedAt(watch: NodeWatch): number {
  return [...watch.observedNodes().values()].find((node) => node.cordonedAtMs !== undefined)?.cordonedAtMs ?? Infinity;
}

function inSeconds(valuesMs: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(valuesMs).map(([name, ms]) => [name, ms / msPerSecond]));
}
