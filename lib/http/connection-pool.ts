import type { Connection } from './connection.ts';
import { dial } from './dial.ts';
import type { Dialling, Place } from './dial.ts';

/** Connections that are kept for whoever asks the same place again, or were opened ahead of the one who will. */
export interface ConnectionPool {
  /** One that waits, or a new one. Whoever takes it gives it back or destroys it. */
  take(place: Place): Dialling;
  keep(place: Place, connection: Connection): void;
  /** Does nothing where one waits already. Says nothing of what comes of it. */
  warm(place: Place): void;
}

/** Servers close what was silent for longer, and may do so at the moment of our next request. */
const longestRestMs = 4_000;
/** Whoever was expected has not come. */
const longestWaitMs = 10_000;

export function createConnectionPool(): ConnectionPool {
  const resting = new Map<string, Connection[]>();
  const awaited = new Map<string, Dialling>();

  function take(place: Place): Dialling {
    const key = keyOf(place);
    const kept = takeResting(key);
    if (kept !== undefined) return { connection: Promise.resolve(kept), hold: () => {}, abandon: () => kept.destroy() };
    const warmed = awaited.get(key);
    awaited.delete(key);
    warmed?.hold(true);
    return warmed ?? dial(place);
  }

  function takeResting(key: string): Connection | undefined {
    const usable = (resting.get(key) ?? []).filter((connection) => connection.isUsable());
    const kept = usable.pop();
    resting.set(key, usable);
    return kept;
  }

  function keep(place: Place, connection: Connection): void {
    const key = keyOf(place);
    connection.rest(longestRestMs);
    resting.set(key, [...(resting.get(key) ?? []), connection]);
  }

  function warm(place: Place): void {
    const key = keyOf(place);
    if (awaited.has(key) || resting.get(key)?.some((connection) => connection.isUsable())) return;
    const dialling = dial(place);
    dialling.hold(false);
    awaited.set(key, dialling);
    const forget = (): void => {
      if (awaited.get(key) === dialling) awaited.delete(key);
    };
    const timer = setTimeout(() => {
      if (awaited.get(key) === dialling) dialling.abandon();
      forget();
    }, longestWaitMs);
    timer.unref();
    const rest = (connection: Connection): void => {
      // From here on it is one that waits: it goes as soon as anything comes over it.
      if (awaited.get(key) !== dialling) return;
      awaited.delete(key);
      connection.rest(longestWaitMs);
      resting.set(key, [...(resting.get(key) ?? []), connection]);
    };
    dialling.connection.then(rest, forget);
  }

  return { take, keep, warm };
}

function keyOf({ url, proxy, authorities }: Place): string {
  const trust = authorities === undefined ? ['the host’s'] : ['only', ...authorities];
  return [url.protocol, url.host, proxy?.href ?? '', ...trust].join('\0');
}
