import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';

export interface IpAddress {
  readonly address: string;
  readonly family: number;
}

/** The addresses of a host in the order of the system's resolver. Rejects with Node's error. */
export type Resolve = (host: string) => Promise<readonly IpAddress[]>;

/**
 * How long a request waits for DNS. With the usual `resolv.conf` the C library asks the second nameserver after 5 s and the
 * third after 10 s.
 */
export const resolveTimeoutMs = 12_000;

/** Long enough for a retry that comes after its predecessor stopped waiting; a change of address is seen soon after. */
const cacheMs = 10_000;

interface Lookup {
  readonly addresses: Promise<readonly IpAddress[]>;
  /** `undefined`: the lookup is still in flight. */
  cachedUntilMs?: number;
}

/**
 * Callers that ask for the same host share one lookup. It continues when they stop waiting, so that a retry finds it almost
 * done, or its result: a new lookup would wait for the same dead nameserver again.
 */
export function createResolver(
  lookup: Resolve = systemLookup,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
): Resolve {
  const lookups = new Map<string, Lookup>();
  return (host) => {
    const family = familyOf(host);
    if (family !== 0) return Promise.resolve([{ address: host, family }]);
    const cached = lookups.get(host);
    if (cached !== undefined && isCurrent(cached, clock)) return cached.addresses;
    const started: Lookup = { addresses: lookup(host) };
    lookups.set(host, started);
    const keep = (): void => void (started.cachedUntilMs = clock.monotonicMs() + cacheMs);
    const forget = (): void => void (lookups.get(host) === started && lookups.delete(host));
    started.addresses.then(keep, forget);
    return started.addresses;
  };
}

function isCurrent({ cachedUntilMs }: Lookup, clock: Pick<Clock, 'monotonicMs'>): boolean {
  return cachedUntilMs === undefined || clock.monotonicMs() < cachedUntilMs;
}

/** Of a host as `URL` writes it. Not by `net.isIP`, which compiles a large regular expression for the first name. */
export function familyOf(host: string): 0 | 4 | 6 {
  if (host.includes(':')) return 6;
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? 4 : 0;
}

function systemLookup(host: string): Promise<readonly IpAddress[]> {
  return new Promise((resolve, reject) => {
    process.getBuiltinModule('node:dns').lookup(host, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}
