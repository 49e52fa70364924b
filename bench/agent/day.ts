import { setTimeout as wait } from 'node:timers/promises';
import { nodes } from '../../lib/kubernetes/resources.ts';
import { fakeTimeLibrary } from '../../test/long/chaos/jumping-clock.ts';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { endPods } from '../../test/system/api-server/node-agent/pods.ts';
import { untilNode } from '../../test/system/api-server/node-agent/nodes.ts';
import { watchPeak } from '../harness/memory-peak.ts';
import { startReplica } from '../harness/replica.ts';
import { toSamples } from '../harness/samples.ts';
import { hasLook, hoursOfDay, stepOf } from './day-steps.ts';
import type { DayStep } from './day-steps.ts';
import { readsOf, resetMetadata, spotPath } from './fixture.ts';
import type { AgentFixture } from './fixture.ts';
import { addPods, clearCluster, registerNode } from './full-node.ts';
import { kbPerMb, ours } from './section.ts';
import type { AgentSection } from './section.ts';
import type { AgentSubject } from './subjects.ts';

const title = 'a day of events';
const peakAnonymous = 'peak RssAnon, MB';
const settledAnonymous = 'settled RssAnon, MB';
/** The agent's clock goes faster, so that it polls more often. All that it waits for still takes real time. */
const speed = fakeTimeLibrary === undefined ? 1 : 20;

/** Memory after a day. The termination handler is not measured: Go's programs take no library that changes the clock. */
export const day: AgentSection = {
  gates: [peakAnonymous, settledAnonymous].map((metric) => ({
    variant: ours,
    metric: `${title}: ${metric}`,
    atMost: 30,
  })),
  run: async ({ fixture, subjects, log }) => {
    if (speed === 1) log('the day takes some minutes without the Debian package libfaketime');
    const values = await replayDay(fixture, subjects.ours, { hours: hoursOfDay, settleMs: 10_000 });
    log(`${title}: settled at ${values[settledAnonymous]?.toFixed(1) ?? ''} MB`);
    return toSamples(ours, title, values);
  },
};

const podsToDrain = 20;

export interface DayWorkload {
  readonly hours: number;
  /** How long the agent is left alone before and after. */
  readonly settleMs: number;
}

export async function replayDay(
  fixture: AgentFixture,
  subject: AgentSubject,
  { hours, settleMs }: DayWorkload,
): Promise<Readonly<Record<string, number>>> {
  await resetMetadata(fixture);
  await clearCluster(fixture);
  await registerNode(fixture, subject.nodeName);
  const startedAtMs = Date.now();
  const agentMs = (): number => startedAtMs + speed * (Date.now() - startedAtMs);
  const eventsBefore = (await fixture.plane.auditEvents()).length;
  const replica = await startReplica(withFastClock(subject), fixture);
  const cleanUps = [() => replica.end(subject.endSignal)];
  try {
    endPods({ plane: fixture.plane, atEnd: (action) => void cleanUps.push(action) }, subject.nodeName);
    await waitUntil({ what: 'the notices are read', withinMs: 60_000, everyMs: 50 }, async () => {
      await replica.check();
      return (await readsOf(fixture, spotPath)).length > 0 ? true : undefined;
    });
    await wait(settleMs);
    const before = replica.rssAnonKb();
    const peak = watchPeak(replica);
    for (let hour = 0; hour < hours; hour += 1) {
      await passHour(fixture, subject.nodeName, hour, stepOf(hour, agentMs()));
      await replica.check();
    }
    await wait(settleMs);
    const peakKb = peak.peakKb();
    const events = (await fixture.plane.auditEvents()).slice(eventsBefore);
    return {
      'RssAnon before, MB': before / kbPerMb,
      [peakAnonymous]: peakKb / kbPerMb,
      [settledAnonymous]: replica.rssAnonKb() / kbPerMb,
      'settled resident, MB': replica.rssKb() / kbPerMb,
      'processor time, s': replica.cpuS(),
      'reads of the spot notice': (await readsOf(fixture, spotPath)).length,
      'writes of the Node by the agent': events.filter(
        ({ userAgent = '', verb, objectRef }) =>
          userAgent.startsWith(subject.userAgent) && verb === 'patch' && objectRef?.name === subject.nodeName,
      ).length,
    };
  } finally {
    await Promise.all(cleanUps.map((action) => action()));
  }
}

/** Instance metadata is read again every 3 s of its clock, not every minute: as often as in a day. */
function withFastClock(subject: AgentSubject): AgentSubject {
  const clock = { LD_PRELOAD: fakeTimeLibrary ?? '', FAKETIME: `+0 x${String(speed)}` };
  return {
    ...subject,
    env: { ...subject.env, ...(fakeTimeLibrary !== undefined && clock) },
    args: async () => [...(await subject.args()), '--node-status-update-frequency=3s'],
  };
}

const heartbeatsAnHour = 12;
const outageEveryHours = 6;

/** The kubelet's updates, new sessions, the step, and now and then an outage. */
async function passHour(fixture: AgentFixture, nodeName: string, hour: number, step: DayStep): Promise<void> {
  const { plane, aws } = fixture;
  if (step.look === 'drained') await addPods(fixture, nodeName, podsToDrain);
  await endSessions(fixture);
  if (hour % outageEveryHours === 0) await breakMetadata(fixture);
  await aws.update({ metadata: step.documents });
  for (let beat = 0; beat < heartbeatsAnHour; beat += 1) await sendHeartbeat(fixture, nodeName);
  await untilNode({ plane }, nodeName, `is ${step.look} in hour ${String(hour)}`, (node) => hasLook(node, step.look));
}

/** As when the metadata service was restarted. */
async function endSessions({ aws }: AgentFixture): Promise<void> {
  const { metadataTokens } = await aws.state();
  await aws.update({ metadataTokens: Object.fromEntries(Object.keys(metadataTokens).map((token) => [token, 0])) });
}

const failedRequests = 20;

async function breakMetadata({ aws }: AgentFixture): Promise<void> {
  const failures = async (): Promise<number> => (await aws.requests()).filter(({ status }) => status === 500).length;
  const before = await failures();
  await aws.addFault({ service: 'imds', kind: 'status', status: 500, count: failedRequests });
  await waitUntil({ what: 'the metadata service failed', withinMs: 120_000, everyMs: 20 }, async () =>
    (await failures()) - before >= failedRequests ? true : undefined,
  );
}

/** A kubelet does so every 5 minutes if nothing changes. */
async function sendHeartbeat({ client }: AgentFixture, name: string): Promise<void> {
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() };
  const patch = { type: 'strategic-merge', body: { status: { conditions: [ready] } } } as const;
  await client.patch(nodes, { name, subresource: 'status' }, patch, new AbortController().signal);
}
