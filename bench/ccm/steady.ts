import { setTimeout as wait } from 'node:timers/promises';
import type { ControllerSubject } from './subjects.ts';
import { waitForLeader } from './lease.ts';
import { initialise } from './initialise.ts';
import { startReplica } from '../harness/replica.ts';
import { toSamples } from '../harness/samples.ts';
import { subjectsOf } from './subjects.ts';
import type { BenchSample } from '../harness/samples.ts';
import type { SectionContext, Section } from './section.ts';
import { startCounting } from './call-counts.ts';
import { deleteLeases } from './fleet.ts';

const count = 1_000;
const title = '1,000, nothing changes';
/** A subject looks at all Nodes once after its start. That is over by then, or has become the steady state. */
const settleMs = 20_000;
/** A shorter window could miss the one look in five minutes, so that everybody is made to look more often. */
const shortestFullMinutes = 6;
const [frequentPeriodS, usualPeriodS] = [30, 300];
const frequentUpdatesFlag = `--node-status-update-frequency=${frequentPeriodS}s`;
const usualCalls = 'cloud calls per minute, with a look every 5 minutes';
const msPerMinute = 60_000;
const kbPerMb = 1_024;

/** What it costs to have nothing to do. */
export const steady: Section = {
  gates: () => [
    { variant: 'polycloud-ccm', metric: `${title}: ${usualCalls}`, atMost: 10 },
    { variant: 'polycloud-ccm', metric: `${title}: node and event writes per minute`, atMost: 0 },
  ],
  run: async (context) => {
    const { fixture, subjects } = context;
    const workload = { count, knownBy: 'providerID', latencyMs: 60, settleMs: 0 } as const;
    await initialise(fixture, subjects.ours, workload);
    const samples: BenchSample[] = [];
    for (const subject of subjectsOf(subjects, 'byDefault')) {
      samples.push(...(await measureIdle(context, subject)));
    }
    return samples;
  },
};

async function measureIdle(context: SectionContext, subject: ControllerSubject): Promise<readonly BenchSample[]> {
  const { fixture, steadyMinutes, log } = context;
  const isFullLength = steadyMinutes >= shortestFullMinutes;
  const args = async (): Promise<readonly string[]> => [
    ...(await subject.args()),
    ...(isFullLength ? [] : [frequentUpdatesFlag]),
  ];
  await deleteLeases(fixture);
  const replica = await startReplica({ ...subject, args }, fixture);
  try {
    await waitForLeader(fixture, replica);
    await wait(settleMs);
    const counter = await startCounting(fixture);
    await wait(steadyMinutes * msPerMinute);
    await replica.check();
    const calls = [...(await counter.cloudCalls()).values()].reduce((sum, each) => sum + each, 0);
    const writes = await counter.writes(subject.userAgent);
    log(`${title}, ${subject.name}: ${String(calls)} cloud calls in ${String(steadyMinutes)} minutes`);
    return toSamples(subject.name, title, {
      'cloud calls per minute': calls / steadyMinutes,
      [usualCalls]: calls / steadyMinutes / (isFullLength ? 1 : usualPeriodS / frequentPeriodS),
      'node and event writes per minute': (writes.nodes + writes.events) / steadyMinutes,
      'lease writes per minute': writes.leases / steadyMinutes,
      'RssAnon at the end, MB': replica.rssAnonKb() / kbPerMb,
    });
  } finally {
    await replica.end('SIGTERM');
  }
}
