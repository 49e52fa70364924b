import type { Test } from 'tap';
import { createInstances } from '../../../clouds/vsphere/instances/index.ts';
import type { Instances, LookupContext, LookupResult, NodeFacts, Scope } from '../../../clouds/cloud.ts';
import { systemClock } from '../../../lib/clock.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import type { Http } from '../../../lib/http/http.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { silentLog } from '../../support/logs.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { vsphere } from '../../lab/clouds/vsphere/cloud.ts';
import { labPassword } from '../../lab/clouds/vsphere/state.ts';
import type { LabVm, VcenterState, VsphereState } from '../../lab/clouds/vsphere/state.ts';
import { fakeHost } from '../fake-host.ts';
import { vsphereConfig } from './config.ts';

export const scopeA: Scope = { cloud: 'vsphere', key: 'vsphere/a' };
export const scopeB: Scope = { cloud: 'vsphere', key: 'vsphere/b' };

const username = 'polycloud@vsphere.local';
export const secretFiles: Readonly<Record<string, string>> = {
  '/secrets/a.vcenter.lab.username': `${username}\n`,
  '/secrets/a.vcenter.lab.password': `${labPassword}\n`,
  '/secrets/b.vcenter.lab.username': username,
  '/secrets/b.vcenter.lab.password': labPassword,
};

export interface VcenterLab {
  readonly lab: LabCloud<VsphereState>;
  /** With the lab's vCenter `a`, or those of the configuration. */
  instances(config?: Partial<VsphereConfig>, files?: Readonly<Record<string, string>>): Instances;
  context(): LookupContext;
  /** Changes one of the vCenters. */
  change(vcenter: keyof VsphereState, patch: Partial<VcenterState>): Promise<void>;
  /** The methods that were called since the last reset. */
  methods(vcenter: keyof VsphereState): Promise<readonly string[]>;
}

/** Two vCenters as the lab has them, and our `Instances` in front of them. */
export async function startVcenterLab(t: Test): Promise<VcenterLab> {
  const lab = await runOnLoopback(vsphere, { plain: [] });
  t.teardown(lab.stop);
  const http = throughLoopback(lab, createHttp({ proxies: { no: '' }, allAuthorities: () => [] }));
  return {
    lab,
    instances: (config, files = secretFiles) =>
      createInstances({ env: {}, host: fakeHost(files), config: { ...vsphereConfig, ...config } }),
    context: () => ({
      signal: new AbortController().signal,
      deadlineAtMs: systemClock.monotonicMs() + 20_000,
      http,
      clock: systemClock,
      log: silentLog,
      // Of the machines that a list has, nearly the last one is asked for.
      random: () => 0.9,
      beforeCall: () => Promise.resolve(),
    }),
    change: (vcenter, patch) => lab.update({ [vcenter]: patch }),
    methods: async (vcenter) =>
      (await lab.requests()).flatMap(({ service, path, body }) =>
        service === vcenter ? [/<Body><(?<method>\w+)/.exec(body)?.groups?.['method'] ?? path] : [],
      ),
  };
}

/** Requests to `https://a.vcenter.lab` go to the lab's port. The tests of `lib/http` have TLS. */
function throughLoopback(lab: LabCloud<VsphereState>, http: Http): Http {
  return {
    send: (request, signal) => {
      const { hostname, pathname, search } = request.url;
      const url = new URL(`${lab.url(hostname.replace('.vcenter.lab', ''))}${pathname}${search}`);
      return http.send({ ...request, url }, signal);
    },
  };
}

/** As if nothing had found its machine yet. */
export function nodeOf({ uuid, hostName }: LabVm, changes: Partial<NodeFacts> = {}): NodeFacts {
  return { ...nodeNamed(hostName), providerId: `vsphere://${uuid}`, ...changes };
}

/** Of a Node whose machine was found. */
export function labelsOf(vcenter: string, vmId: string): Pick<NodeFacts, 'labels'> {
  return { labels: { 'polycloud.dev/vsphere-vcenter': vcenter, 'polycloud.dev/vsphere-vm': vmId } };
}

export function nodeNamed(name: string, changes: Partial<NodeFacts> = {}): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {}, ...changes };
}

export async function lookUpOne(
  instances: Instances,
  node: NodeFacts,
  context: LookupContext,
  scope: Scope = scopeA,
): Promise<LookupResult | undefined> {
  return (await instances.lookUp(scope, { nodes: [node], verify: [] }, context)).get(node.uid);
}
