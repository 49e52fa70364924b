import type { Moment } from './cloud.ts';

/** Something that goes wrong, at one service, until it has happened `count` times (for ever without). */
export type Fault = (ShapingFault | WireFault | RefuseFault) & FaultScope;

interface FaultScope {
  readonly service: string;
  /** Only requests whose path begins with this. */
  readonly pathPrefix?: string;
  readonly count?: number;
}

/** These change what a working service answers, or when. */
export type ShapingFault =
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The server's clock is ahead: in its Date, in its check of signatures and in the expiries it gives. */
  | { readonly kind: 'clock'; readonly aheadMs: number }
  /** What is given out has expired already. */
  | { readonly kind: 'expired' }
  /** The answer does not say when it expires. */
  | { readonly kind: 'no-expiry' };

/** These take the answer's place. */
export type WireFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** In the service's own words; `status` where it has several, as metadata services do. */
  | { readonly kind: 'throttle'; readonly retryAfterS?: number; readonly status?: number }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 303 | 307 | 308; readonly location: string }
  /** 200 and a body that is in no format. */
  | { readonly kind: 'garbage' }
  /** 200 and no body. */
  | { readonly kind: 'empty' }
  /** 200 and a body of this size. */
  | { readonly kind: 'huge'; readonly sizeMb: number }
  /** 200 and a byte now and then, for ever. */
  | { readonly kind: 'trickle'; readonly everyMs: number }
  /** More is promised than comes before the connection is closed. */
  | { readonly kind: 'cut-off' }
  /** A TCP reset in place of an answer. */
  | { readonly kind: 'reset' }
  /** Never an answer, and the connection stays open. */
  | { readonly kind: 'hang' };

/** The service's ports are closed until the faults are cleared. Path and count have no effect. */
export interface RefuseFault {
  readonly kind: 'refuse';
}

/** What the faults do to one request. */
export interface Effects {
  readonly delayMs: number;
  readonly aheadMs: number;
  readonly expiry: Moment['expiry'];
  readonly wire: WireFault | undefined;
}

export interface FaultRegistry {
  add(fault: Fault): void;
  clear(): void;
  /** Which faults a request meets: all that shape its answer, and the first of those that take the answer's place. */
  effectsOn(service: string, path: string): Effects;
}

interface Entry {
  readonly fault: Fault;
  remaining: number;
}

export function createFaultRegistry(): FaultRegistry {
  let entries: Entry[] = [];
  return {
    add: (fault) => {
      entries.push({ fault, remaining: fault.count ?? Infinity });
    },
    clear: () => {
      entries = [];
    },
    effectsOn: (service, path) => {
      const effects: Mutable<Effects> = { delayMs: 0, aheadMs: 0, expiry: 'usual', wire: undefined };
      for (const entry of entries) {
        if (entry.remaining === 0 || !matches(entry.fault, service, path)) continue;
        if (apply(entry.fault, effects)) entry.remaining -= 1;
      }
      return effects;
    },
  };
}

function matches(fault: Fault, service: string, path: string): boolean {
  return fault.service === service && path.startsWith(fault.pathPrefix ?? '');
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Whether the fault has happened: a second one that takes the answer's place waits for the next request. */
function apply(fault: Fault, effects: Mutable<Effects>): boolean {
  if (fault.kind === 'refuse') return false;
  if (fault.kind === 'delay') effects.delayMs += fault.delayMs;
  else if (fault.kind === 'clock') effects.aheadMs += fault.aheadMs;
  else if (fault.kind === 'expired') effects.expiry = 'passed';
  else if (fault.kind === 'no-expiry') effects.expiry = 'absent';
  else if (effects.wire) return false;
  else effects.wire = fault;
  return true;
}
