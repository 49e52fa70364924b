import type { Test } from 'tap';
import { describeInstance } from '../../../../clouds/openstack/metadata/describe.ts';
import { detect } from '../../../../clouds/openstack/metadata/detect.ts';
import type { Instance } from '../../../../clouds/cloud.ts';
import { systemClock } from '../../../../lib/clock.ts';
import type { Context } from '../../../../lib/context.ts';
import type { Http, HttpRequest } from '../../../../lib/http/http.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import type { OpenstackConfig } from '../../../../schemas/config/openstack.ts';
import { labProjectId } from '../../../lab/clouds/openstack/state.ts';
import type { LabServerMetadata } from '../../../lab/clouds/openstack/metadata-documents.ts';
import { fakeHost } from '../../fake-host.ts';
import { openstackConfig, startOpenstackLab } from '../openstack-lab.ts';
import type { OpenstackLab } from '../openstack-lab.ts';

/** A server with one port, whose address it gets by DHCP, as usual. */
export const plainServer: LabServerMetadata = {
  uuid: 'fbb1fd83-4a4e-4ea1-88f9-4d2e2e8c3f7a',
  ec2Id: 'i-00000001',
  name: 'node-a',
  hostname: 'node-a.novalocal',
  availabilityZone: 'nova',
  flavor: 'm1.large',
  projectId: labProjectId,
  properties: {},
  ports: [
    {
      portId: 'c0000000-0000-4000-8000-000000000001',
      networkId: 'a0000000-0000-4000-8000-000000000001',
      mac: 'fa:16:3e:00:00:01',
      subnets: [{ version: 4, address: '10.0.0.11', mode: 'dhcp' }],
    },
  ],
};

export interface MetadataMachine {
  readonly config?: Partial<OpenstackConfig>;
  readonly files?: Readonly<Record<string, string>>;
  /** Addresses of the machine's interfaces, by MAC address. */
  readonly own?: Readonly<Record<string, readonly string[]>>;
  /** It has no route to addresses of IPv4. */
  readonly hasIpv4?: boolean;
}

export interface MetadataLab extends Pick<OpenstackLab, 'lab' | 'instances'> {
  readonly openstack: OpenstackLab;
  describe(machine?: MetadataMachine): Promise<Instance>;
  detect(machine?: MetadataMachine): Promise<string>;
  /** What was sent to the metadata service, in the order of asking. */
  readonly sent: HttpRequest[];
}

/** The embedded metadata service at its two addresses. */
export async function startMetadataLab(t: Test): Promise<MetadataLab> {
  const openstack = await startOpenstackLab(t);
  const { lab } = openstack;
  const sent: HttpRequest[] = [];
  t.beforeEach(async () => {
    await openstack.reset();
    await lab.update({ metadata: { server: plainServer } });
    sent.length = 0;
  });
  const context = (hasIpv4: boolean): Context => ({
    ...openstack.context(),
    http: atMetadataAddresses(openstack, sent, hasIpv4),
    // Waits between attempts are short.
    clock: { ...systemClock, sleep: async (_durationMs, signal) => systemClock.sleep(1, signal) },
  });
  const depsOf = ({ config = {}, files = {}, own = {} }: MetadataMachine) => ({
    config: { ...openstackConfig, ...config },
    host: fakeHost(files),
    readOwn: () => new Map(Object.entries(own)),
  });
  return {
    lab,
    openstack,
    sent,
    instances: openstack.instances,
    describe: (machine = {}) => describeInstance(depsOf(machine), context(machine.hasIpv4 ?? true)),
    detect: (machine = {}) => detect(depsOf(machine), context(machine.hasIpv4 ?? true)),
  };
}

function atMetadataAddresses({ lab, context }: OpenstackLab, sent: HttpRequest[], hasIpv4: boolean): Http {
  const { http } = context();
  return {
    send: async ({ zone, ...request }, signal) => {
      const { url } = request;
      sent.push({ ...request, ...(zone !== undefined && { zone }) });
      if (url.host === '169.254.169.254' && !hasIpv4) throw new NetworkError('unreachable', 'ENETUNREACH');
      if (!['169.254.169.254', '[fe80::a9fe:a9fe]'].includes(url.host)) throw new Error(`nobody is at ${url.host}`);
      return http.send({ ...request, url: new URL(url.pathname, lab.url('metadata')) }, signal);
    },
  };
}
