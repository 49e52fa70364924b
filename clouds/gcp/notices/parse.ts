import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { parseIsoDate } from '../../../lib/parse-date.ts';
import type { Notice } from '../../cloud.ts';

/** One key of the metadata server. Paths are below `/computeMetadata/v1/`. */
export interface NoticeKey {
  readonly source: string;
  readonly path: string;
  readonly query?: string;
  /** The effect depends on the policy `instance/scheduling/on-host-maintenance`. */
  readonly needsPolicy?: true;
  /**
   * Pure. `text`: `undefined` if the server has no value. `policy`: `MIGRATE` or `TERMINATE`, if it is needed. Throws a
   * `Failure` if the value cannot be read.
   */
  parse(text: string | undefined, policy: string | undefined): readonly Notice[];
}

export const noticeKeys: readonly NoticeKey[] = [
  { source: 'preempted', path: 'instance/preempted', parse: parsePreempted },
  { source: 'maintenance-event', path: 'instance/maintenance-event', parse: parseMaintenanceEvent },
  {
    source: 'upcoming-maintenance',
    path: 'instance/upcoming-maintenance',
    query: 'alt=json&',
    needsPolicy: true,
    parse: parseUpcomingMaintenance,
  },
];

/** https://cloud.google.com/compute/docs/instances/preemptible#preemption-process */
const preemptionMs = 30_000;
/** https://cloud.google.com/compute/docs/metadata/getting-live-migration-notice */
const maintenanceMs = 60_000;

function parsePreempted(text: string | undefined): readonly Notice[] {
  if (text === undefined || text === 'FALSE') return [];
  if (text !== 'TRUE') throw invalid('instance/preempted');
  return [notice('preempted', 'preempted', { effect: 'ends', withinMs: preemptionMs, words: 'preempted' })];
}

const effectOfEvent: Readonly<Record<string, Notice['effect']>> = {
  MIGRATE_ON_HOST_MAINTENANCE: 'pauses',
  TERMINATE_ON_HOST_MAINTENANCE: 'ends',
};

function parseMaintenanceEvent(text: string | undefined): readonly Notice[] {
  if (text === undefined || text === 'NONE') return [];
  if (!/^[A-Z_]{1,64}$/.test(text)) throw invalid('instance/maintenance-event');
  const effect = effectOfEvent[text] ?? 'pauses';
  return [notice('maintenance-event', `maintenance-event/${text}`, { effect, withinMs: maintenanceMs, words: text })];
}

/**
 * Days ahead, for machines with accelerators, sole tenants and reservations. An empty object, `NONE` or no value: none.
 * https://cloud.google.com/compute/docs/instances/monitor-plan-host-maintenance-event
 */
function parseUpcomingMaintenance(text: string | undefined, policy: string | undefined): readonly Notice[] {
  const { window_start_time: start, maintenance_status: status, type } = maintenanceIn(text);
  if (start === undefined) return [];
  const atMs = parseIsoDate(start);
  if (atMs === undefined || typeof start !== 'string') throw invalid('instance/upcoming-maintenance');
  const effect = policy === 'TERMINATE' ? 'ends' : 'pauses';
  const words = `${typeof type === 'string' ? `${type} ` : ''}maintenance from ${start}`;
  const upcoming = notice('upcoming-maintenance', `upcoming-maintenance/${start}`, { effect, atMs, words });
  return [status === 'ONGOING' ? { ...upcoming, state: 'started' } : upcoming];
}

function maintenanceIn(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || text === 'NONE' || text === '"NONE"') return {};
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid('instance/upcoming-maintenance');
}

interface NoticeParts extends Pick<Notice, 'effect' | 'atMs' | 'withinMs'> {
  readonly words: string;
}

function notice(source: string, id: string, { words, ...parts }: NoticeParts): Notice {
  return { id, source, ...parts, state: 'announced', onlyThisInstance: true, vendorText: words };
}

function invalid(path: string): Failure {
  return new Failure('invalid-response', `the metadata server returned an invalid value for ${path}`, {
    remedy: 'check that nothing else answers in its place',
  });
}
