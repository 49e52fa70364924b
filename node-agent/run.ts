import { once } from 'node:events';
import { systemClock } from '../lib/clock.ts';
import { logStart } from '../lib/log/log-start.ts';
import type { ServingSettings } from '../lib/server/settings.ts';
import type { Broker } from './broker/broker.ts';
import type { AgentRuntime } from './runtime.ts';
import { healthChecks, withBroker } from './health.ts';
import { startInterruption } from './interruption/start-interruption.ts';
import { eventWriter } from './node-sync/node-client.ts';
import { startNodeSync } from './node-sync/node-sync.ts';
import type { AgentFlags } from './options.ts';
import { statusOf, statusText } from './status.ts';
import type { AgentStatus } from './status.ts';
import { serveStatus } from './status-socket.ts';

/** Each agent waits for a random part of this before its first request: many agents start at the same moment. */
const startJitterMs = 250;

/** Runs the agent until SIGTERM. */
export async function runAgent(flags: AgentFlags, serving: ServingSettings, runtime: AgentRuntime): Promise<void> {
  const { client, cloudNames, log, metrics } = runtime;
  const { nodeName, dryRun } = flags;
  const ending = new AbortController();
  const { signal } = ending;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      log.standard('stopping', { reason: name });
      ending.abort(new Error(name));
    });
  }
  logStart({ program: 'polycloud-node-agent', clouds: cloudNames, identity: nodeName, dryRun }, log);
  await systemClock.sleep(Math.random() * startJitterMs, signal).catch(() => undefined);
  const nodeSync = flags.nodeSync ? startNodeSync(flags, runtime, signal) : undefined;
  const interruption = nodeSync && startInterruption(flags, { runtime, nodeSync }, signal);
  let broker: Broker | undefined;
  const status = (): AgentStatus =>
    statusOf({
      nodeName,
      dryRun,
      nodeSync,
      clock: systemClock,
      brokerStatus: () => broker?.status(),
      interruptionStatus: () => interruption?.status(),
    });
  const services = [serveStatus(flags.statusSocket, status, log), serveHealth(), serveLogins()];
  try {
    await Promise.all([nodeSync?.ended ?? untilAborted(signal), interruption?.ended, ...services]);
  } finally {
    ending.abort(new Error('the end'));
    await stopAll(services);
    client.close();
  }

  /** Loads the server's code only if it is needed, to save memory on every node. */
  async function serveHealth(): Promise<Stop> {
    if (serving.port === 0) return () => Promise.resolve();
    const { startOperationsServer } = await import('./operations-server.ts');
    const nodeChecks = healthChecks(nodeSync?.state, flags.readEveryMs, systemClock, interruption?.live);
    const checks = flags.brokerSocket === undefined ? nodeChecks : withBroker(nodeChecks, () => broker);
    const page = (): string => statusText(status());
    return startOperationsServer({ serving, client, clock: systemClock, log, checks, metrics, status: page }, signal);
  }

  async function serveLogins(): Promise<Stop> {
    const { brokerSocket: socketPath } = flags;
    if (socketPath === undefined) return () => Promise.resolve();
    const { serveBroker } = await import('./broker/serve-broker.ts');
    const writeEvent = eventWriter(client, systemClock, signal);
    const settings = { socketPath, place: { kind: 'agent' }, client, log, metrics } as const;
    const started = await serveBroker({
      ...settings,
      ...(!dryRun && { writeEvent: (event) => writeEvent({ metadata: { name: nodeName } }, event) }),
    });
    broker = started;
    return started.stop;
  }
}

type Stop = () => Promise<void>;

/** Stops the services that have started. */
async function stopAll(services: readonly Promise<Stop>[]): Promise<void> {
  const started = await Promise.allSettled(services);
  await Promise.all(started.flatMap((service) => (service.status === 'fulfilled' ? [service.value()] : [])));
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
