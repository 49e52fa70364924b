import { once } from 'node:events';
import { clouds } from '../../clouds/index.ts';
import type { FlagValues } from '../../lib/command-line/flag-values.ts';
import { Failure } from '../../lib/failure.ts';
import { logStart } from '../../lib/log/log-start.ts';
import type { Log } from '../../lib/log/log.ts';
import { createMetrics } from '../../lib/metrics/metrics.ts';
import { brokerSocketIn } from '../options.ts';
import { serveBroker } from './serve-broker.ts';
import { systemdSocket } from './systemd-socket.ts';

export interface HostBrokerFlags {
  readonly socketPath: string;
  /** Absent: at its usual path, if it exists. */
  readonly configFile?: string;
  /** Of the socket that systemd opened. Absent: the broker opens it itself. */
  readonly descriptor?: number;
}

export function readHostBrokerFlags(given: FlagValues, env: NodeJS.ProcessEnv, pid: number): HostBrokerFlags {
  const [socketPath, configFile, descriptor] = [brokerSocketIn(given), given['--config'], systemdSocket(env, pid)];
  if (socketPath === undefined) {
    throw new Failure('misconfigured', '--broker-socket none leaves nothing to do', { remedy: 'leave it out' });
  }
  return {
    socketPath,
    ...(configFile !== undefined && { configFile }),
    ...(descriptor !== undefined && { descriptor }),
  };
}

/** Runs the broker alone, on the host, until SIGTERM. */
export async function runHostBroker(flags: HostBrokerFlags, log: Log): Promise<void> {
  const { socketPath, configFile, descriptor } = flags;
  const stopped = Promise.race(
    (['SIGTERM', 'SIGINT'] as const).map(async (name) => once(process, name).then(() => name)),
  );
  logStart(
    { program: 'polycloud-node-agent', clouds: clouds.map(({ name }) => name), identity: 'broker', dryRun: false },
    log,
  );
  const broker = await serveBroker({
    socketPath,
    place: { kind: 'host', ...(descriptor !== undefined && { descriptor }) },
    ...(configFile !== undefined && { configFile }),
    log,
    metrics: createMetrics(),
  });
  log.standard('stopping', { reason: await stopped });
  await broker.stop();
}
