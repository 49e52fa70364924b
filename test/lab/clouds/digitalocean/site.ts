import type { Site } from '../site.ts';

/** DigitalOcean at its production names. */
export function digitaloceanSite(): Site<'digitalocean'> {
  return {
    cloud: 'digitalocean',
    services: [
      {
        service: 'metadata',
        addresses: { 4: '169.254.169.254' },
        tls: false,
        ownMachinesOnly: true,
        hosts: [],
      },
      {
        service: 'api',
        addresses: { 4: '10.203.0.1', 6: 'fd00:203::1' },
        tls: true,
        ownMachinesOnly: false,
        hosts: [{ name: 'api.digitalocean.com', ipVersions: [6, 4] }],
      },
    ],
  };
}
