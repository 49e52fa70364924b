import type { Fault } from './faults.ts';
import type { RecordedRequest } from './request-log.ts';

/** A running emulated cloud, in this process or another; the interface is the same. */
export interface LabCloud<State extends object> {
  /** `http(s)://address:port` of a service, without a slash at the end. Throws for one that this cloud has not. */
  url(service: string): string;
  /** In the order they came. */
  requests(): Promise<readonly RecordedRequest[]>;
  addFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** A copy. */
  state(): Promise<State>;
  update(patch: Patch<State>): Promise<void>;
  /** The initial state, no faults, an empty log; the ports stay. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Two levels deep: what is named below a top-level object is replaced, its neighbours stay. Lists are replaced. */
export type Patch<State extends object> = { readonly [K in keyof State]?: Partial<State[K]> };

export function urlFrom(urls: Readonly<Record<string, string>>, service: string): string {
  const url = urls[service];
  if (url === undefined) throw new Error(`No such service: ${service}. There are ${Object.keys(urls).join(', ')}`);
  return url;
}
