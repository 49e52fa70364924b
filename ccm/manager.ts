import { systemClock } from '../lib/clock.ts';
import { logStart } from '../lib/log/log-start.ts';
import type { ServingSettings } from '../lib/server/settings.ts';
import { keys } from '../schemas/keys.ts';
import { confirmationAnnotations } from './confirmations.ts';
import { createElection } from './leader-election.ts';
import type { Election } from './leader-election.ts';
import { kubernetesLeaseStore } from './leader-election/kubernetes-lease-store.ts';
import type { ElectionSettings } from './leader-election/settings.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';
import type { ControllerFlags } from './options.ts';
import { startNodeController } from './node-controller.ts';
import type { RunningNodeController } from './node-controller.ts';
import { startOperationsServer } from './operations-server.ts';
import type { ControllerRuntime } from './runtime.ts';
import { leaderStatus } from './status-command/leader-status.ts';

export interface ManagerParts {
  readonly runtime: ControllerRuntime;
  readonly flags: ControllerFlags;
  readonly election: ElectionSettings;
  readonly serving: ServingSettings;
  readonly lifecycle: LifecycleSettings;
}

/** Watches from the start, serves, leads when it can, and ends on SIGTERM. */
export async function runManager(parts: ManagerParts): Promise<void> {
  const { runtime, flags, election: settings, serving } = parts;
  const { clouds, identity, log } = runtime;
  const cloudNames = clouds.map(({ name }) => name);
  logStart({ program: 'polycloud-ccm', clouds: cloudNames, identity, dryRun: flags.dryRun }, log);
  const shutdown = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      log.standard('stopping', { reason: name });
      shutdown.abort(new Error(name));
    });
  }
  const running = startNodeController({ ...parts, signal: shutdown.signal });
  // A Lease is a write too.
  const election = settings.enabled && !flags.dryRun ? createControllerElection(parts, settings, running) : undefined;
  const server = startOperationsServer({ serving, runtime, running, election, dryRun: flags.dryRun }, shutdown.signal);
  const leading = server.then(() => {
    if (election !== undefined) return election.run((leadership) => running.lead(leadership), shutdown.signal);
    return leadWithoutElection(parts, running, shutdown.signal);
  });
  try {
    await Promise.race([leading, rejectionOf(running.watch.ended)]);
  } finally {
    shutdown.abort(new Error('the end'));
    await server.then((started) => started?.close());
    runtime.client.close();
    runtime.delegatedClients.close();
  }
}

function noElectionReason({ dryRun }: ControllerFlags): string {
  return dryRun ? 'a dry run takes no Lease' : '--leader-elect=false';
}

/** Never resolves: on an orderly shutdown the election must release the lease before we return. */
async function rejectionOf(ended: Promise<void>): Promise<never> {
  await ended;
  return new Promise(() => {});
}

function createControllerElection(
  { runtime }: ManagerParts,
  settings: ElectionSettings,
  { controller, routes }: RunningNodeController,
): Election {
  const leaseRef = { namespace: settings.namespace, name: settings.name };
  const { identity, log } = runtime;
  const clouds = runtime.clouds.map(({ name }) => name);
  const store = kubernetesLeaseStore(runtime.client, leaseRef, () => ({
    ...confirmationAnnotations(controller),
    [keys.leaderStatus]: JSON.stringify(leaderStatus(controller, { identity, clouds }, routes)),
  }));
  return createElection({ identity, times: settings, store, clock: systemClock, log, random: Math.random });
}

/** Without an election there is no next leader; writes end like any other request. */
const maxWriteMs = 30_000;

/** Returns when the signal is aborted, also before it has begun. */
async function leadWithoutElection(
  { runtime, flags }: ManagerParts,
  running: RunningNodeController,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  runtime.log.standard('leading', { identity: runtime.identity, reason: noElectionReason(flags) });
  await running.lead({ signal, mayWrite: () => true, maxWriteMs }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
