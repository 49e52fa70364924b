import { clouds } from '../../clouds/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { failureText } from '../../lib/failure-text.ts';
import { realHost } from '../../lib/host.ts';
import { createHttp } from '../../lib/http/create-http.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import { startBroker } from './broker.ts';
import type { Broker, BrokerStatus } from './broker.ts';
import { mountedHost } from './mounted-host.ts';
import { clusterKeys } from './tokens/cluster-keys.ts';

export interface BrokerPlace {
  readonly socketPath: string;
  readonly client: Pick<KubernetesClient, 'read'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface ServedBroker {
  /** `undefined`: its socket could not be had yet. */
  status(): BrokerStatus | undefined;
  stop(): Promise<void>;
}

const tryAgainMs = 30_000;

/**
 * The broker on a real node. Where its socket cannot be had, that is said once and tried again: without it each pull starts
 * the full program, and nothing else is wrong.
 */
export function serveBroker(place: BrokerPlace, signal: AbortSignal): ServedBroker {
  let broker: Broker | undefined;
  let said = '';
  const started = keepTrying();
  return {
    status: () => broker?.status(),
    stop: async () => {
      await started;
      await broker?.stop();
    },
  };

  async function keepTrying(): Promise<void> {
    while (broker === undefined && !signal.aborted) {
      broker = await open(place).catch(tell);
      if (broker === undefined) await systemClock.sleep(tryAgainMs, signal).catch(() => undefined);
    }
  }

  function tell(error: unknown): undefined {
    const text = failureText(error);
    if (text !== said) place.log.say(`no broker: ${text}`);
    said = text;
  }
}

/** The configuration is the one that the plugin reads, wherever the agent's own is. */
function open({ socketPath, client, log, metrics }: BrokerPlace): Promise<Broker> {
  return startBroker({
    socketPath,
    clouds,
    host: mountedHost(realHost),
    clock: systemClock,
    random: Math.random,
    log,
    metrics,
    clusterKeys: clusterKeys({ client, clock: systemClock }),
    openHttp: createHttp,
  });
}
