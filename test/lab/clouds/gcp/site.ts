import type { Addresses, Site, SiteService } from '../site.ts';

/** Google at its production names; `universe` is where the APIs are, `googleapis.com` in Google's own. */
export function gcpSite(universe: string): Site<'gcp'> {
  const api = (service: string, names: readonly string[], last: number): SiteService => ({
    service,
    addresses: { 4: `10.202.0.${String(last)}`, 6: `fd00:202::${String(last)}` },
    tls: true,
    ownMachinesOnly: false,
    // As Google's do, each name has an address of either kind.
    hosts: names.map((name) => ({ name, ipVersions: [6, 4] })),
  });
  return {
    cloud: 'gcp',
    services: [
      { service: 'metadata', addresses: metadataAddresses, tls: false, ownMachinesOnly: true, hosts: [] },
      api('sts', [`sts.${universe}`], 1),
      api('iam-credentials', [`iamcredentials.${universe}`], 2),
      api('oauth2', ['oauth2.googleapis.com'], 3),
      api('compute', [`compute.${universe}`], 5),
      api('certs', ['www.googleapis.com', 'accounts.google.com'], 4),
    ],
  };
}

const metadataAddresses: Addresses = { 4: '169.254.169.254', 6: 'fd20:ce::254' };
