import type { Connection } from './connection.ts';
import { dial } from './dial.ts';
import type { Dialling } from './dial.ts';
import { proxyOfExchange } from './open-socket.ts';
import type { Place } from './open-socket.ts';
import { createResolver } from './resolve.ts';
import type { Resolve } from './resolve.ts';

/** Connections that are kept for whoever asks the same place again, or were opened ahead of the one who will. */
export interface ConnectionPool {
  /** One that waits, or a new one. Whoever takes it gives it back or destroys it. */
  take(place: Place): Dialling;
  /** A new one, whatever is waiting. */
  open(place: Place): Dialling;
  keep(place: Place, connection: Connection): void;
  /** Does nothing where one waits already. Says nothing of what comes of it. */
  warm(place: Place): void;
}

/** Servers close what was silent for longer, and may do so at the moment of our next request. */
const longestRestMs = 4_000;
/** Whoever was expected has not come. */
const longestWaitMs = 10_000;

export function createConnectionPool(resolve: Resolve = createResolver()): ConnectionPool {
  const resting = new Map<string, readonly Connection[]>();
  const awaited = new Map<string, Dialling>();

  function take(place: Place): Dialling {
    const key = keyOf(place);
    const kept = takeResting(key);
    if (kept !== undefined) return diallingOf(kept, place);
    const warmed = awaited.get(key);
    awaited.delete(key);
    warmed?.hold(true);
    return warmed ?? open(place);
  }

  const open = (place: Place): Dialling => dial(place, resolve);

  function takeResting(key: string): Connection | undefined {
    const usable = usableOf(key);
    resting.set(key, usable.slice(0, -1));
    return usable.at(-1);
  }

  function keep(place: Place, connection: Connection): void {
    layDown(keyOf(place), connection, longestRestMs);
  }

  function layDown(key: string, connection: Connection, longestMs: number): void {
    connection.rest(longestMs);
    resting.set(key, [...usableOf(key), connection]);
  }

  function usableOf(key: string): readonly Connection[] {
    return (resting.get(key) ?? []).filter((connection) => connection.isUsable());
  }

  function warm(place: Place): void {
    const key = keyOf(place);
    if (awaited.has(key) || usableOf(key).length > 0) return;
    const dialling = open(place);
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
      layDown(key, connection, longestWaitMs);
    };
    dialling.connection.then(rest, forget);
  }

  return { take, open, keep, warm };
}

function diallingOf(kept: Connection, place: Place): Dialling {
  return {
    connection: Promise.resolve(kept),
    resolved: Promise.resolve(),
    proxyInUse: () => proxyOfExchange(place),
    isKept: kept.wasUsed(),
    hold: () => {},
    abandon: () => kept.destroy(),
  };
}

function keyOf({ url, proxy, authorities }: Place): string {
  const trust = authorities === undefined ? ['the host’s'] : ['only', ...authorities];
  return [url.protocol, url.host, proxy?.href ?? '', ...trust].join('\0');
}
