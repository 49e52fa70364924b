import { pollNotices } from '../../../../clouds/gcp/notices/poll.ts';
import type { Context } from '../../../../lib/context.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { nowMs } from '../notices.ts';
import { replayAll, toResponse } from './replay.ts';
import type { Answer, ReplayRow } from './replay.ts';

const preempted = 'instance/preempted';
const maintenance = 'instance/maintenance-event';
const upcoming = 'instance/upcoming-maintenance';
const policy = 'instance/scheduling/on-host-maintenance';
const never = { status: 503, text: '{"error":"no notifications have been received yet, try again later"}' };
const defaults: Readonly<Record<string, Answer>> = {
  [preempted]: 'FALSE',
  [maintenance]: 'NONE',
  [upcoming]: never,
  [policy]: 'TERMINATE',
};
const windowAt = (seconds: number, maintenance_status = 'PENDING'): string =>
  JSON.stringify({
    can_reschedule: false,
    latest_window_start_time: new Date(nowMs + seconds * 1_000).toISOString(),
    maintenance_status,
    type: 'SCHEDULED',
    window_start_time: new Date(nowMs + seconds * 1_000).toISOString(),
    window_end_time: new Date(nowMs + (seconds + 3_600) * 1_000).toISOString(),
  });

/** The server holds the requests: a change is seen at once. */
const rows: Readonly<Record<string, ReplayRow>> = {
  'nothing is announced': { script: {}, expected: [] },
  'a preemption: what is left of 30 s is shared': {
    script: { 11: { [preempted]: 'TRUE' } },
    expected: ['12 ends:NoSchedule cordon', '12 evict web 20', '21 delete shut 10'],
  },
  'a machine that was preempted and runs again': {
    script: { 11: { [preempted]: 'TRUE' }, 71: { [preempted]: 'FALSE' } },
    expected: ['12 ends:NoSchedule cordon', '12 evict web 20', '21 delete shut 10', '72 no marks'],
  },
  'a live migration evicts nobody': {
    script: { 11: { [maintenance]: 'MIGRATE_ON_HOST_MAINTENANCE' }, 71: { [maintenance]: 'NONE' } },
    expected: [],
  },
  'a termination for maintenance in 60 s, and its end': {
    script: { 11: { [maintenance]: 'TERMINATE_ON_HOST_MAINTENANCE' }, 101: { [maintenance]: 'NONE' } },
    expected: ['12 ends:NoSchedule cordon', '12 evict web 30', '36 delete shut 25', '102 no marks'],
  },
  'upcoming maintenance is advice until ten minutes before it; when it goes on, and ends': {
    script: {
      0: { [upcoming]: windowAt(1_200) },
      1201: { [upcoming]: windowAt(1_200, 'ONGOING') },
      1301: { [upcoming]: '{ }' },
    },
    expected: [
      '1 ends:PreferNoSchedule',
      '600 ends:NoSchedule cordon',
      '600 evict web 30',
      '1160 delete shut 30',
      '1302 no marks',
    ],
    forSeconds: 1_310,
  },
  'upcoming maintenance that is put off': {
    script: { 0: { [upcoming]: windowAt(120) }, 61: { [upcoming]: windowAt(7_200) } },
    expected: ['1 ends:NoSchedule cordon', '1 evict web 30', '62 ends:PreferNoSchedule'],
  },
  'maintenance that goes on when it is seen first: two minutes': {
    script: { 0: { [upcoming]: windowAt(-60, 'ONGOING') } },
    expected: ['1 ends:NoSchedule cordon', '1 evict web 30', '81 delete shut 30'],
  },
  'upcoming maintenance of a machine that migrates evicts nobody': {
    script: { 0: { [upcoming]: windowAt(120), [policy]: 'MIGRATE' } },
    expected: [],
  },
  'no upcoming maintenance, in all forms': {
    script: {
      0: { [upcoming]: '{ }' },
      21: { [upcoming]: 'NONE' },
      41: { [upcoming]: '"NONE"' },
      61: { [upcoming]: never },
      81: { [upcoming]: undefined },
    },
    expected: [],
    forSeconds: 200,
  },
  'several keys at once: the earliest counts': {
    script: {
      11: { [maintenance]: 'TERMINATE_ON_HOST_MAINTENANCE', [preempted]: 'TRUE' },
    },
    expected: ['12 ends:NoSchedule cordon', '12 evict web 20', '21 delete shut 10'],
  },
  'keys that fail delay no other by more than 2 s': {
    script: {
      5: { [upcoming]: { status: 500, text: '' }, [maintenance]: { status: 503, text: '' } },
      61: { [preempted]: 'TRUE' },
    },
    expected: ['62 ends:NoSchedule cordon', '62 evict web 20', '72 delete shut 10'],
  },
  'requests that never end delay no other by more than 6 s': {
    script: { 5: { [maintenance]: 'hangs' }, 61: { [preempted]: 'TRUE' } },
    expected: ['65 ends:NoSchedule cordon', '65 evict web 20', '75 delete shut 10'],
  },
  'answers that are none withdraw nothing': {
    script: {
      11: { [maintenance]: 'TERMINATE_ON_HOST_MAINTENANCE' },
      21: { [maintenance]: '<html>' },
      25: { [maintenance]: { status: 500, text: '' } },
      31: { [maintenance]: 'TERMINATE_ON_HOST_MAINTENANCE' },
    },
    expected: ['12 ends:NoSchedule cordon', '12 evict web 30', '36 delete shut 25'],
  },
  'a server that is away for two minutes has the notice when it is back': {
    script: {
      1: Object.fromEntries(Object.keys(defaults).map((key) => [key, { status: 502, text: '' }])),
      121: { ...defaults, [preempted]: 'TRUE' },
    },
    expected: ['123 ends:NoSchedule cordon', '123 evict web 20', '133 delete shut 10'],
    forSeconds: 160,
  },
};

await replayAll({ poll: (cursor, context) => pollNotices(cursor, { env: {} }, context), serve }, rows);

/** As Google's server: the entity tag belongs to the value, and a request is held as long as it has the last one. */
function serve(
  answers: ReadonlyMap<string, Answer>,
  clock: FakeClock,
  changed: () => Promise<void>,
): Context['http']['send'] {
  return async ({ url, limits }, signal) => {
    const path = url.pathname.replace('/computeMetadata/v1/', '');
    const current = (): Answer => (answers.has(path) ? answers.get(path) : defaults[path]);
    const endAtMs = clock.monotonicMs() + Number(url.searchParams.get('timeout_sec') ?? '0') * 1_000;
    const limitAtMs = clock.monotonicMs() + limits.totalMs;
    while (current() === 'hangs' || url.searchParams.get('last_etag') === etagOf(current())) {
      const untilMs = current() === 'hangs' ? limitAtMs : endAtMs;
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) break;
      await Promise.race([changed(), clock.sleep(leftMs, signal)]);
    }
    if (current() === 'hangs') throw new NetworkError('timeout', 'the limit');
    return toResponse(current(), { 'metadata-flavor': 'Google', ...etagHeader(current()) });
  };
}

function etagOf(answer: Answer): string | undefined {
  return typeof answer === 'string' ? `tag of ${answer}` : undefined;
}

function etagHeader(answer: Answer): Readonly<Record<string, string>> {
  const etag = etagOf(answer);
  return etag === undefined ? {} : { etag };
}
