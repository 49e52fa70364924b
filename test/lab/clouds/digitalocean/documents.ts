import type { LabDroplet } from './state.ts';

/** As the API describes a Droplet. Status texts that it does not promise are there for tests of what is new. */
export function dropletDocument(droplet: LabDroplet): object {
  const { privateIpv4, publicIpv4, publicIpv6 } = droplet;
  return {
    id: droplet.id,
    name: droplet.name,
    memory: 4096,
    vcpus: 2,
    disk: 80,
    locked: false,
    status: droplet.status,
    kernel: null,
    created_at: '2026-07-21T18:37:44Z',
    features: ['private_networking'],
    backup_ids: [],
    next_backup_window: null,
    snapshot_ids: [],
    image: { id: 63_663_980, name: '20.04 (LTS) x64', distribution: 'Ubuntu', slug: 'ubuntu-20-04-x64', public: true },
    volume_ids: [],
    size: sizeDocument(droplet),
    size_slug: droplet.size,
    networks: {
      v4: [
        ...(publicIpv4 === null
          ? []
          : [{ ip_address: publicIpv4, netmask: '255.255.255.0', gateway: '192.0.2.1', type: 'public' }]),
        ...(privateIpv4 === null
          ? []
          : [{ ip_address: privateIpv4, netmask: '255.255.0.0', gateway: null, type: 'private' }]),
      ],
      v6: publicIpv6 === null ? [] : [{ ip_address: publicIpv6, netmask: 64, gateway: '2001:db8::1', type: 'public' }],
    },
    region: {
      name: 'New York 3',
      slug: droplet.region,
      features: ['private_networking'],
      available: true,
      sizes: [droplet.size],
    },
    tags: [],
    vpc_uuid: '760e09ef-dc84-11e8-981e-3cfdfeaae000',
    ...(droplet.isGpu && { gpu_info: { count: 1, model: 'nvidia_h100' } }),
  };
}

function sizeDocument({ size, region }: LabDroplet): object {
  const machine = { memory: 4096, vcpus: 2, disk: 80, transfer: 4, price_monthly: 24, price_hourly: 0.03571 };
  return { slug: size, ...machine, regions: [region], available: true, description: 'Basic' };
}

/** `/metadata/v1.json` of the Droplet. https://docs.digitalocean.com/reference/api/metadata/ */
export function metadataDocument({ id, name, region, privateIpv4, publicIpv4, publicIpv6 }: LabDroplet): object {
  const ipv4 = (address: string): object => ({ ip_address: address, netmask: '255.255.255.0', gateway: '192.0.2.1' });
  const ipv6 = publicIpv6 === null ? {} : { ipv6: { ip_address: publicIpv6, cidr: 64, gateway: '2001:db8::1' } };
  return {
    droplet_id: id,
    hostname: name,
    vendor_data: '#cloud-config\n',
    public_keys: [],
    region,
    interfaces: {
      ...(publicIpv4 !== null && {
        public: [
          { ipv4: ipv4(publicIpv4), ...ipv6, anchor_ipv4: ipv4('10.10.0.5'), mac: '04:01:2a:0f:2a:01', type: 'public' },
        ],
      }),
      ...(privateIpv4 !== null && {
        private: [{ ipv4: ipv4(privateIpv4), mac: '04:01:2a:0f:2a:02', type: 'private' }],
      }),
    },
    floating_ip: { ipv4: { active: false } },
    reserved_ip: { ipv4: { active: false } },
    dns: { nameservers: ['67.207.67.2'] },
    features: { dhcp_enabled: false },
  };
}
