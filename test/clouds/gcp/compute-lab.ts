import type { Test } from 'tap';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { createInstances } from '../../../clouds/gcp/instances/index.ts';
import { describeInstance } from '../../../clouds/gcp/metadata/describe.ts';
import type { Instance, Instances, LookupContext, LookupResult, NodeFacts, Scope } from '../../../clouds/cloud.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Environment } from '../../../lib/environment.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { silentLog } from '../../support/logs.ts';
import { gcp } from '../../lab/clouds/gcp/cloud.ts';
import type { ComputeInstance } from '../../lab/clouds/gcp/compute-instance.ts';
import type { GcpState } from '../../lab/clouds/gcp/state.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { fakeHost } from '../fake-host.ts';
import { gcpConfig } from './config.ts';

export const ownScope: Scope = { cloud: 'gcp', key: 'gcp/own-project' };

/** Where the controller runs, besides the lab's instance. */
interface GcpMachine {
  readonly env: Environment;
  readonly files: Readonly<Record<string, string>>;
}

export interface ComputeLab {
  readonly lab: LabCloud<GcpState>;
  instances(config: Partial<GcpConfig>, machine?: GcpMachine): Instances;
  /** What the agent of the lab's instance reports of it. Waits between attempts are short. */
  describe(node: NodeFacts): Promise<Instance>;
  context(): LookupContext;
  /** Paths of requests of Compute Engine since the last reset, without the query. */
  requestPaths(): Promise<readonly string[]>;
}

/** Compute Engine as the lab has it, and our `Instances` in front of it with the account of the lab's instance. */
export async function startComputeLab(t: Test): Promise<ComputeLab> {
  const lab = await runOnLoopback(gcp, { plain: [] });
  t.teardown(lab.stop);
  const env = { GCE_METADATA_HOST: lab.url('metadata').replace('http://', '') };
  const endpoints = {
    compute: lab.url('compute'),
    iamCredentials: lab.url('iam-credentials'),
    oauth2: lab.url('oauth2'),
    sts: lab.url('sts'),
  };
  const context = (): LookupContext => ({
    signal: new AbortController().signal,
    deadlineAtMs: systemClock.monotonicMs() + 20_000,
    http: createHttp({ proxies: { no: '' }, allAuthorities: () => [] }),
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    beforeCall: () => Promise.resolve(),
  });
  return {
    lab,
    instances: (config, machine) =>
      createInstances({
        env: { ...env, ...machine?.env },
        host: fakeHost(machine?.files ?? {}),
        config: { ...gcpConfig, endpoints, ...config },
      }),
    describe: async (node) => describeInstance(node, env, { ...context(), clock: hastyClock }),
    context,
    requestPaths: async () =>
      (await lab.requests()).flatMap(({ service, path }) =>
        service === 'compute' ? [path.replace(/\?.*$/, '').replace('/compute/v1/projects/', '')] : [],
      ),
  };
}

const hastyClock: Clock = { ...systemClock, sleep: async (_durationMs, signal) => systemClock.sleep(1, signal) };

export async function lookUp(
  instances: Instances,
  nodes: readonly NodeFacts[],
  context: LookupContext,
): Promise<readonly (LookupResult | undefined)[]> {
  const results = await instances.lookUp(ownScope, { nodes, verify: [] }, context);
  return nodes.map(({ uid }) => results.get(uid));
}

export function nodeOf({ project, zone, name }: Pick<ComputeInstance, 'project' | 'zone' | 'name'>): NodeFacts {
  return nodeWith(`gce://${project}/${zone}/${name}`);
}

export function nodeWith(providerId: string): NodeFacts {
  return { ...nodeNamed(`node of ${providerId}`), providerId };
}

export function nodeNamed(name: string): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {} };
}
