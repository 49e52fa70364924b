import { setTimeout as wait } from 'node:timers/promises';
import type { AuditEvent } from '../../test/lab/control-plane/audit.ts';
import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import { startReplica } from '../harness/replica.ts';
import type { Replica } from '../harness/replica.ts';
import { toSamples } from '../harness/samples.ts';
import type { BenchSample } from '../harness/samples.ts';
import { readsOf, resetMetadata, spotPath } from './fixture.ts';
import { clearCluster, registerNode } from './full-node.ts';
import { kbPerMb, ours } from './section.ts';
import type { AgentContext, AgentSection } from './section.ts';
import type { AgentSubject } from './subjects.ts';

const title = 'idle';
const requests = 'requests to the API server an hour';
const anonymous = 'RssAnon, MB';
/** What a program does at its start is over by then. */
const settleMs = 10_000;
const msPerMinute = 60_000;

/** What it costs to wait for a notice. Both wait at the same time: neither has anything to do for the other's Node. */
export const idle: AgentSection = {
  gates: [
    { variant: ours, metric: `${title}: ${anonymous}`, atMost: 30 },
    { variant: ours, metric: `${title}: ${requests}`, atMost: 20 },
  ],
  run: async (context) => {
    const { fixture, subjects } = context;
    const all = [subjects.ours, subjects.peer];
    await resetMetadata(fixture);
    await clearCluster(fixture);
    for (const { nodeName } of all) await registerNode(fixture, nodeName);
    const earlier = (await fixture.plane.auditEvents()).length;
    const replicas: Replica[] = [];
    try {
      for (const subject of all) replicas.push(await startReplica(subject, fixture));
      await waitUntil({ what: 'both have read the notices', withinMs: 60_000, everyMs: 100 }, async () => {
        await Promise.all(replicas.map((replica) => replica.check()));
        const readers = new Set((await readsOf(fixture, spotPath)).map(({ headers }) => headers['user-agent']));
        return readers.size === all.length ? true : undefined;
      });
      await wait(settleMs);
      return await measureIdle(context, { subjects: all, replicas, earlier });
    } finally {
      await Promise.all(replicas.map((replica, index) => replica.end(all[index]?.endSignal ?? 'SIGKILL')));
    }
  },
};

interface Waiting {
  readonly subjects: readonly AgentSubject[];
  readonly replicas: readonly Replica[];
  /** How many requests there were before they started. */
  readonly earlier: number;
}

async function measureIdle(
  { fixture, idleMinutes, log }: AgentContext,
  { subjects, replicas, earlier }: Waiting,
): Promise<readonly BenchSample[]> {
  const sinceStart = async (): Promise<readonly AuditEvent[]> => (await fixture.plane.auditEvents()).slice(earlier);
  const cpuBeforeS = replicas.map((replica) => replica.cpuS());
  const before = (await sinceStart()).length;
  await wait(idleMinutes * msPerMinute);
  const events = await sinceStart();
  return subjects.flatMap((subject, index) => {
    const replica = replicas[index];
    if (replica === undefined) return [];
    const isOwn = ({ userAgent = '' }: AuditEvent): boolean => userAgent.startsWith(subject.userAgent);
    const values = {
      [anonymous]: replica.rssAnonKb() / kbPerMb,
      'resident, MB': replica.rssKb() / kbPerMb,
      'processor time a minute, s': (replica.cpuS() - (cpuBeforeS[index] ?? 0)) / idleMinutes,
      [requests]: requestsAnHour(events.filter(isOwn), events.slice(before).filter(isOwn), idleMinutes),
    };
    log(`${title}, ${subject.name}: ${values[anonymous].toFixed(1)} MB`);
    return toSamples(subject.name, title, values);
  });
}

const secondsPerHour = 3_600;
const minutesPerHour = 60;

/**
 * A window of minutes may have none of the requests that come every ten minutes: each watch that was opened is opened
 * again when its time is over. All else is counted in the window.
 */
export function requestsAnHour(
  sinceStart: readonly AuditEvent[],
  inWindow: readonly AuditEvent[],
  windowMinutes: number,
): number {
  const others = inWindow.filter(({ verb }) => verb !== 'watch').length;
  const watches = new Map(
    sinceStart
      .filter(({ verb }) => verb === 'watch')
      .map(({ objectRef, requestURI }) => [objectRef?.resource, requestURI]),
  );
  const watchesAnHour = [...watches.values()].map((uri) => secondsPerHour / watchSeconds(uri));
  return (others * minutesPerHour) / windowMinutes + watchesAnHour.reduce((sum, each) => sum + each, 0);
}

function watchSeconds(requestUri: string): number {
  return Number(new URL(requestUri, 'https://api').searchParams.get('timeoutSeconds'));
}
