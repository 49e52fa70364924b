import type { Test } from 'tap';
import { createInstances } from '../../../clouds/openstack/instances/index.ts';
import type { Instances, LookupContext, LookupResult, NodeFacts, Scope } from '../../../clouds/cloud.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Environment } from '../../../lib/environment.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import { openstackDefaults } from '../../../schemas/config/openstack.defaults.ts';
import { silentLog } from '../../support/logs.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { openstack } from '../../lab/clouds/openstack/cloud.ts';
import { labOpenrc, labProjectId, labRegion } from '../../lab/clouds/openstack/state.ts';
import type { LabRegion, OpenstackState } from '../../lab/clouds/openstack/state.ts';
import { fakeHost } from '../fake-host.ts';

/** What holds without a configuration file. */
export const openstackConfig: OpenstackConfig = openstackDefaults;
export const ownScope: Scope = { cloud: 'openstack', key: 'openstack/own-project' };

/** Where the controller runs. */
export interface OpenstackMachine {
  readonly env: Environment;
  readonly files?: Readonly<Record<string, string>>;
}

export interface OpenstackLab {
  readonly lab: LabCloud<OpenstackState>;
  /** By default with the application credential in variables. */
  instances(config: Partial<OpenstackConfig>, machine?: OpenstackMachine): Instances;
  /** The variables of the application credential. */
  readonly env: Readonly<Record<string, string>>;
  context(): LookupContext;
  /** `nova GET /v2.1/servers/…` since the last reset, without the query. */
  requestLines(): Promise<readonly string[]>;
  /** The initial state, with a catalog that names the lab's addresses. */
  reset(): Promise<void>;
}

/** OpenStack as the lab has it, and our `Instances` in front of it. */
export async function startOpenstackLab(t: Test): Promise<OpenstackLab> {
  const lab = await runOnLoopback(openstack, { plain: [] });
  t.teardown(lab.stop);
  const env = { ...labOpenrc, OS_AUTH_URL: `${lab.url('keystone')}/v3` };
  const region: LabRegion = { compute: `${lab.url('nova')}/v2.1`, network: lab.url('neutron') };
  const reset = async (): Promise<void> => {
    await lab.reset();
    await lab.update({ regions: { [labRegion]: region } });
  };
  await reset();
  return {
    lab,
    env,
    reset,
    instances: (config, machine) =>
      createInstances({
        env: machine?.env ?? env,
        host: fakeHost(machine?.files ?? {}),
        config: { ...openstackConfig, ...config },
      }),
    context: () => ({
      signal: new AbortController().signal,
      deadlineAtMs: systemClock.monotonicMs() + 20_000,
      http: createHttp({ proxies: { no: '' }, allAuthorities: () => [] }),
      clock: systemClock,
      log: silentLog,
      random: Math.random,
      beforeCall: () => Promise.resolve(),
    }),
    requestLines: async () =>
      (await lab.requests()).map(({ service, method, path }) => `${service} ${method} ${path.replace(/\?.*$/, '')}`),
  };
}

export async function lookUp(
  instances: Instances,
  nodes: readonly NodeFacts[],
  context: LookupContext,
): Promise<readonly (LookupResult | undefined)[]> {
  const results = await instances.lookUp(ownScope, { nodes, verify: [] }, context);
  return nodes.map(({ uid }) => results.get(uid));
}

export function nodeOf({ id }: { readonly id: string }): NodeFacts {
  return nodeWith(`openstack:///${id}`);
}

export function nodeWith(providerId: string): NodeFacts {
  return { ...nodeNamed(`node of ${providerId}`), providerId, labels: labelsOf(labProjectId) };
}

/** Of a Node whose server was found. */
export function labelsOf(projectId: string, region = labRegion): Readonly<Record<string, string>> {
  return { 'polycloud.dev/openstack-project-id': projectId, 'topology.kubernetes.io/region': region };
}

export function nodeNamed(name: string): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {} };
}
