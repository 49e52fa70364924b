import type { CloudDefinition } from './cloud.ts';
import type { LabCloud } from './lab-cloud.ts';
import type { TlsFiles } from './listener.ts';
import { runCloud } from './run-cloud.ts';

export interface LoopbackOptions {
  /** For services that speak TLS in production; a metadata service speaks plain HTTP anyway. */
  readonly tls?: TlsFiles;
  /** Which services stay plain. */
  readonly plain: readonly string[];
}

/** Each service on its own port of 127.0.0.1, in this process, for callers that get the endpoints as settings. */
export function runOnLoopback<State extends object>(
  cloud: CloudDefinition<State>,
  { tls, plain }: LoopbackOptions,
): Promise<LabCloud<State>> {
  const listeners = Object.keys(cloud.services).map((service) => {
    const listener = { service, address: '127.0.0.1', port: 0 };
    return tls && !plain.includes(service) ? { ...listener, tls } : listener;
  });
  return runCloud(cloud, listeners);
}
