import { parseJson } from '../../lib/json.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { KnownNotice } from './decide.ts';

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

/** An annotation has little room. */
const maxNotices = 20;
const longestTextCharacters = 300;

/** `undefined`: there is nothing to keep. */
export function formatState({ notices, hasOurCordon, drain }: InterruptionState): string | undefined {
  if (notices.length === 0 && !hasOurCordon && drain === undefined) return undefined;
  const kept = notices.slice(0, maxNotices).map(trimNotice);
  return JSON.stringify({ notices: kept, hasOurCordon, ...(drain !== undefined && { drain }) });
}

function trimNotice({ vendorText, ...notice }: KnownNotice): KnownNotice {
  return { ...notice, vendorText: vendorText.slice(0, longestTextCharacters) };
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
  return isObject(value) && Number.isFinite(value['startedAtMs']) && typeof value['isFinished'] === 'boolean';
}

const effects: ReadonlySet<unknown> = new Set([
  'ends',
  'restarts',
  'pauses',
  'may-end',
] satisfies KnownNotice['effect'][]);

function isKnownNotice(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, source, effect, atMs, firstSeenAtMs, vendorText } = value;
  const hasTexts = [id, source, vendorText].every((text) => typeof text === 'string');
  const hasTimes = Number.isFinite(firstSeenAtMs) && (atMs === undefined || Number.isFinite(atMs));
  return hasTexts && hasTimes && effects.has(effect);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
