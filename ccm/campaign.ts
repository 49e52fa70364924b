import { systemClock } from '../lib/clock.ts';
import { logStart } from '../lib/log/log-start.ts';
import { createMetrics } from '../lib/metrics/metrics.ts';
import { addProcessMetrics } from '../lib/metrics/process-metrics.ts';
import type { ServingSettings } from '../lib/server/settings.ts';
import { confirmationAnnotations } from './confirmations.ts';
import { createElection } from './leader-election.ts';
import type { Election } from './leader-election.ts';
import { kubernetesLeaseStore } from './leader-election/kubernetes-lease-store.ts';
import type { ElectionSettings } from './leader-election/settings.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';
import type { ControllerFlags } from './options.ts';
import { startController } from './run.ts';
import type { Running } from './run.ts';
import { serve } from './serve.ts';
import type { Ground } from './start.ts';

export interface CampaignParts {
  readonly ground: Ground;
  readonly flags: ControllerFlags;
  readonly election: ElectionSettings;
  readonly serving: ServingSettings;
  readonly lifecycle: LifecycleSettings;
}

/** The life of the controller: it watches from the start, serves, then leads when it can, and ends on SIGTERM. */
export async function campaign(parts: CampaignParts): Promise<void> {
  const { ground, flags, election: settings, serving } = parts;
  const { clouds, identity, log } = ground;
  const cloudNames = clouds.map(({ name }) => name);
  logStart({ program: 'polycloud-ccm', clouds: cloudNames, identity, dryRun: flags.dryRun }, log);
  const metrics = createMetrics();
  addProcessMetrics(metrics);
  const ending = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      log.standard('stopping', { reason: name });
      ending.abort(new Error(name));
    });
  }
  const running = startController({ ...parts, metrics, signal: ending.signal });
  // A Lease is a write too.
  const election = settings.enabled && !flags.dryRun ? electionFor(parts, settings, running) : undefined;
  const server = serve({ serving, ground, running, metrics, election, dryRun: flags.dryRun }, ending.signal);
  const work = server.then(() => {
    if (election !== undefined) return election.run((leadership) => running.lead(leadership), ending.signal);
    return leadAlone(parts, running, ending.signal);
  });
  try {
    await Promise.race([work, failureOf(running.watch.ended)]);
  } finally {
    ending.abort(new Error('the end'));
    await server.then((started) => started?.close());
    ground.client.close();
    ground.delegates.close();
  }
}

function withoutElection({ dryRun }: ControllerFlags): string {
  return dryRun ? 'a dry run takes no Lease' : '--leader-elect=false';
}

/** A watch that ends as it was told to is no reason to hurry: the lease is given back first. */
async function failureOf(ended: Promise<void>): Promise<never> {
  await ended;
  return new Promise(() => {});
}

function electionFor({ ground }: CampaignParts, settings: ElectionSettings, { controller }: Running): Election {
  const place = { namespace: settings.namespace, name: settings.name };
  const store = kubernetesLeaseStore(ground.client, place, () => confirmationAnnotations(controller));
  const { identity, log } = ground;
  return createElection({ identity, times: settings, store, clock: systemClock, log, random: Math.random });
}

/** Writes without an election have no next leader to meet; they end like any other request. */
const longestWriteMs = 30_000;

/** Ends well when it was told to end, also before it has begun. */
async function leadAlone({ ground, flags }: CampaignParts, running: Running, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  ground.log.standard('leading', { identity: ground.identity, reason: withoutElection(flags) });
  await running.lead({ signal, mayWrite: () => true, longestWriteMs }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
