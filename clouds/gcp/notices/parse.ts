import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Notice } from '../../cloud.ts';

/** What else decides about the meaning of a value. */
export interface ValueContext {
  /** When the value was first seen, by wall time. */
  readonly seenAtMs: number;
  /** The policy `instance/scheduling/on-host-maintenance`: `MIGRATE` or `TERMINATE`. */
  readonly onHostMaintenance: string;
}

/** One key of the metadata server. Paths are below `/computeMetadata/v1/`. */
export interface NoticeKey {
  readonly source: string;
  readonly path: string;
  readonly query?: string;
  /** Pure. `text`: `undefined` if the server has no value. */
  parse(text: string | undefined, context: ValueContext): readonly Notice[];
}

export const noticeKeys: readonly NoticeKey[] = [
  { source: 'preempted', path: 'instance/preempted', parse: parsePreempted },
  { source: 'maintenance-event', path: 'instance/maintenance-event', parse: parseMaintenanceEvent },
  {
    source: 'upcoming-maintenance',
    path: 'instance/upcoming-maintenance',
    query: 'alt=json&',
    parse: parseUpcomingMaintenance,
  },
];

/** https://cloud.google.com/compute/docs/instances/preemptible#preemption-process */
const preemptionMs = 30_000;
/** https://cloud.google.com/compute/docs/metadata/getting-live-migration-notice */
const maintenanceMs = 60_000;

function parsePreempted(text: string | undefined, { seenAtMs }: ValueContext): readonly Notice[] {
  if (text === undefined || text === 'FALSE') return [];
  if (text !== 'TRUE') throw invalid('instance/preempted');
  return [notice('preempted', 'preempted', { effect: 'ends', atMs: seenAtMs + preemptionMs, words: 'preempted' })];
}

const effectOfEvent: Readonly<Record<string, Notice['effect']>> = {
  MIGRATE_ON_HOST_MAINTENANCE: 'pauses',
  TERMINATE_ON_HOST_MAINTENANCE: 'ends',
};

function parseMaintenanceEvent(text: string | undefined, { seenAtMs }: ValueContext): readonly Notice[] {
  if (text === undefined || text === 'NONE') return [];
  if (!/^[A-Z_]{1,64}$/.test(text)) throw invalid('instance/maintenance-event');
  const effect = effectOfEvent[text] ?? 'pauses';
  return [
    notice('maintenance-event', `maintenance-event/${text}`, { effect, atMs: seenAtMs + maintenanceMs, words: text }),
  ];
}

/**
 * Days ahead, for machines with accelerators, sole tenants and reservations. An empty object, `NONE` or no value: none.
 * https://cloud.google.com/compute/docs/instances/monitor-plan-host-maintenance-event
 */
function parseUpcomingMaintenance(text: string | undefined, { onHostMaintenance }: ValueContext): readonly Notice[] {
  const { window_start_time: start, maintenance_status: status, type } = maintenanceIn(text);
  if (typeof start !== 'string') return [];
  const atMs = Date.parse(start);
  if (Number.isNaN(atMs)) throw invalid('instance/upcoming-maintenance');
  const effect = onHostMaintenance === 'TERMINATE' ? 'ends' : 'pauses';
  const words = `${typeof type === 'string' ? `${type} ` : ''}maintenance from ${start}`;
  const upcoming = notice('upcoming-maintenance', `upcoming-maintenance/${start}`, { effect, atMs, words });
  return [status === 'ONGOING' ? { ...upcoming, state: 'started' } : upcoming];
}

function maintenanceIn(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || text === 'NONE' || text === '"NONE"') return {};
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  throw invalid('instance/upcoming-maintenance');
}

interface NoticeParts extends Pick<Notice, 'effect' | 'atMs'> {
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
