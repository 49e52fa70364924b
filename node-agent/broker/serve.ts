import { clouds } from '../../clouds/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { failureText } from '../../lib/failure-text.ts';
import { realHost } from '../../lib/host.ts';
import { createHttp } from '../../lib/http/node-http.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import { startBroker } from './broker.ts';
import type { Broker } from './broker.ts';
import { clusterKeys } from './tokens/cluster-keys.ts';

export interface BrokerPlace {
  readonly socketPath: string;
  readonly configFile: string | undefined;
  readonly client: Pick<KubernetesClient, 'read'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * The broker on a real node. `undefined`: its socket could not be had, which was said; without it each pull starts the
 * full program, and nothing else is wrong.
 */
export async function serveBroker(place: BrokerPlace): Promise<Broker | undefined> {
  const { socketPath, configFile, client, log, metrics } = place;
  try {
    return await startBroker({
      socketPath,
      clouds,
      host: realHost,
      clock: systemClock,
      random: Math.random,
      log,
      metrics,
      ...(configFile !== undefined && { configFile }),
      clusterKeys: clusterKeys({ client, clock: systemClock }),
      openHttp: createHttp,
    });
  } catch (error) {
    log.say(`no broker: ${failureText(error)}`);
    return undefined;
  }
}
