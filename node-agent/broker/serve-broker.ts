import { clouds } from '../../clouds/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { realHost } from '../../lib/host.ts';
import { createHttp } from '../../lib/http/create-http.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { startBroker } from './broker.ts';
import type { Broker } from './broker.ts';
import type { BrokerPlace } from './socket/maintain-socket.ts';
import { mountedHost } from './host-views.ts';
import { clusterKeys } from './tokens/cluster-keys.ts';

export interface BrokerServiceSettings {
  readonly socketPath: string;
  readonly place: BrokerPlace;
  /** Absent: at its usual path, if it exists. */
  readonly configFile?: string;
  /** Reads the cluster's keys. Absent: tokens of pods are not verified. */
  readonly client?: Pick<KubernetesClient, 'read'>;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Absent: failed logins are only logged. */
  writeEvent?(event: NodeEvent): Promise<void>;
}

/** The broker on a real node. It reads the credential provider's configuration file, not the agent's. */
export function serveBroker({ client, ...settings }: BrokerServiceSettings): Promise<Broker> {
  return startBroker({
    ...settings,
    clouds,
    host: mountedHost(realHost),
    clock: systemClock,
    random: Math.random,
    ...(client && { clusterKeys: clusterKeys({ client, clock: systemClock }) }),
    openHttp: createHttp,
  });
}
