import { parseJson } from '../../lib/json.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { KnownNotice } from './merge-notices.ts';

/** What has to survive a restart of the agent, in an annotation of the Node. */
export interface InterruptionState {
  readonly notices: readonly KnownNotice[];
  /** We made the Node unschedulable. If a person did, it stays so. */
  readonly hasOurCordon: boolean;
  readonly drain?: DrainRecord;
}

export interface DrainRecord {
  readonly startedAtMs: number;
  readonly isFinished: boolean;
}

const noInterruption: InterruptionState = { notices: [], hasOurCordon: false };

/** `undefined`: there is nothing to keep. */
export function formatState({ notices, hasOurCordon, drain }: InterruptionState): string | undefined {
  if (notices.length === 0 && !hasOurCordon && drain === undefined) return undefined;
  const kept = { notices, hasOurCordon, ...(drain !== undefined && { drain }) };
  // The next agent finds out by itself.
  return JSON.stringify(kept, (key, value: unknown) => (key === 'isUnconfirmed' ? undefined : value));
}

/** A value that is not ours counts as none: then nothing on the Node counts as ours except the taint. */
export function readState({ metadata }: Node): InterruptionState {
  const value = parseJson(metadata.annotations?.[keys.interruptionState] ?? '');
  if (!isState(value)) return noInterruption;
  return { ...value, notices: value.notices.filter((notice) => isKnownNotice(notice)) };
}

function isState(value: unknown): value is InterruptionState {
  if (!isObject(value)) return false;
  const { notices, hasOurCordon, drain } = value;
  return Array.isArray(notices) && typeof hasOurCordon === 'boolean' && (drain === undefined || isDrainRecord(drain));
}

function isDrainRecord(value: unknown): boolean {
  return isObject(value) && isTime(value['startedAtMs']) && typeof value['isFinished'] === 'boolean';
}

const effects: ReadonlySet<unknown> = new Set([
  'ends',
  'restarts',
  'pauses',
  'may-end',
] satisfies KnownNotice['effect'][]);
const states: ReadonlySet<unknown> = new Set(['announced', 'started'] satisfies KnownNotice['state'][]);

function isKnownNotice(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, source, effect, state, atMs, withinMs, onlyThisInstance, firstSeenAtMs, vendorText } = value;
  return (
    [id, source, vendorText].every((text) => typeof text === 'string') &&
    effects.has(effect) &&
    states.has(state) &&
    isTime(firstSeenAtMs) &&
    [atMs, withinMs].every((time) => time === undefined || isTime(time)) &&
    typeof onlyThisInstance === 'boolean'
  );
}

/** A `Date` has no other. */
const longestTimeMs = 8.64e15;

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= longestTimeMs / 2;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
