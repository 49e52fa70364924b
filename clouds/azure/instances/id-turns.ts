import type { MachineLookup } from './by-id.ts';

/**
 * Which machines are looked up by id although a list shows them. A list can be behind for a long time, but a request
 * for each of many silent machines takes more than the rate limit gives.
 */
export interface IdTurns {
  /** Machines that their last request did not find, and of the others those that have waited longest. */
  choose(keys: readonly string[]): ReadonlySet<string>;
  /** After a request for this machine. */
  record(key: string, status: MachineLookup['status'], nowMs: number): void;
}

interface LastRequest {
  readonly wasMissing: boolean;
  readonly atMs: number;
}

/** Silent machines are looked up every few seconds. What is not looked up any longer is forgotten. */
const forgetAfterMs = 30 * 60_000;

export function createIdTurns(turnsMax: number): IdTurns {
  /** The latest one last. */
  const requests = new Map<string, LastRequest>();
  const wasMissing = (key: string): boolean => requests.get(key)?.wasMissing ?? false;
  const lastAtMs = (key: string): number => requests.get(key)?.atMs ?? -1;

  return {
    choose: (keys) => {
      const longestFirst = keys.filter((key) => !wasMissing(key)).toSorted((a, b) => lastAtMs(a) - lastAtMs(b));
      return new Set([...keys.filter(wasMissing), ...longestFirst.slice(0, turnsMax)]);
    },
    record: (key, status, nowMs) => {
      const isMissing = status === 'not-found' || (status === 'unknown' && wasMissing(key));
      requests.delete(key);
      requests.set(key, { wasMissing: isMissing, atMs: nowMs });
      for (const [each, { atMs }] of requests) {
        if (nowMs - atMs <= forgetAfterMs) break;
        requests.delete(each);
      }
    },
  };
}
