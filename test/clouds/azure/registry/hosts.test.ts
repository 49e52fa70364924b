import t from 'tap';
import type { AzureConfig } from '../../../../schemas/config/azure.ts';
import { matchRegistry, registryNames, azureCloudOf } from '../../../../clouds/azure/registry/hosts.ts';
import type { Registry } from '../../../../clouds/cloud.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import { azureConfig } from '../config.ts';
import { lookAlikeHosts } from '../look-alike-hosts.ts';

interface Row {
  readonly host: string;
  readonly authority: string;
  readonly region?: string;
  /** The name without a region. */
  readonly global?: string;
}

const world = 'https://login.microsoftonline.com';
const rows: readonly Row[] = [
  { host: 'acme.azurecr.io', authority: world },
  { host: 'a1b2c.azurecr.io', authority: world },
  { host: 'acme-a1b2c3d4e5f6a7b8.azurecr.io', authority: world },
  { host: 'acme.westeurope.geo.azurecr.io', authority: world, region: 'westeurope', global: 'acme.azurecr.io' },
  {
    host: 'acme-a1b2c3d4e5f6a7b8.eastus2.geo.azurecr.io',
    authority: world,
    region: 'eastus2',
    global: 'acme-a1b2c3d4e5f6a7b8.azurecr.io',
  },
  { host: 'acme.azurecr.us', authority: 'https://login.microsoftonline.us' },
  { host: 'acme.azurecr.cn', authority: 'https://login.chinacloudapi.cn' },
  { host: 'acme.azurecr.de', authority: 'https://login.microsoftonline.de' },
  {
    host: 'acme.usgovvirginia.geo.azurecr.us',
    authority: 'https://login.microsoftonline.us',
    region: 'usgovvirginia',
    global: 'acme.azurecr.us',
  },
];

for (const { host, authority, region, global } of rows) {
  await t.test(`${host} is asked itself, and Entra at ${authority}`, (t) => {
    const { endpoint, ...rest } = match(`${host}/team/app:1`, {}) ?? { kind: 'none' };
    t.strictSame(rest, { kind: 'acr', authKey: host, servesWholeHost: true, ...(region && { region }) });
    t.equal(endpoint?.href, `https://${host}/`);
    t.equal(azureCloudOf(host, azureConfig).authorityHost, authority);
    t.strictSame(registryNames(host, azureConfig), global === undefined ? [host] : [host, global]);
    t.end();
  });
}

await t.test('suffixes of the configuration are matched like those of the table, and whole', (t) => {
  const config = { registrySuffixes: ['azurecr.region.stack.example'] };
  t.equal(
    match('acme.azurecr.region.stack.example/app', config)?.endpoint?.hostname,
    'acme.azurecr.region.stack.example',
  );
  t.equal(match('acme-hash.azurecr.region.stack.example/app', config)?.kind, 'acr');
  for (const host of [
    'azurecr.region.stack.example',
    'acmeazurecr.region.stack.example',
    'a.b.azurecr.region.stack.example',
    'acme.azurecr.region.stack.example.evil.example',
    'acme.azurecr-region.stack.example',
  ]) {
    t.equal(match(`${host}/app`, config), undefined, host);
  }
  t.equal(match('acme.azurecr.io/app', config)?.kind, 'acr', 'those of the table stay');
  t.end();
});

await t.test('a port stays in the key and out of the endpoint', (t) => {
  const registry = match('acme.azurecr.io:8443/app', {});
  t.equal(registry?.authKey, 'acme.azurecr.io:8443');
  t.equal(registry?.endpoint?.host, 'acme.azurecr.io');
  t.end();
});

await t.test('at least 60 look-alikes are tried, each once', (t) => {
  t.ok(lookAlikeHosts.length >= 60);
  t.equal(new Set(lookAlikeHosts).size, lookAlikeHosts.length);
  t.end();
});

for (const image of lookAlikeHosts) {
  await t.test(`${JSON.stringify(image)} is not ours`, (t) => {
    t.equal(match(image, {}), undefined);
    t.equal(match(image, { registrySuffixes: ['azurecr.lab.example'] }), undefined);
    t.end();
  });
}

function match(image: string, config: Partial<AzureConfig>): Registry | undefined {
  const reference = parseImageReference(image);
  return reference && matchRegistry(reference, { ...azureConfig, ...config });
}
