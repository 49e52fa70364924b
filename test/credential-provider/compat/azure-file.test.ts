import t from 'tap';
import { readAzureFile } from '../../../credential-provider/compat/azure-file.ts';
import type { AzureFile } from '../../../credential-provider/compat/azure-file.ts';
import { realHost } from '../../../lib/host.ts';

const path = '/etc/kubernetes/azure.json';

function read(content: unknown): Promise<AzureFile> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const readText = async (): Promise<string | undefined> => (content === undefined ? undefined : text);
  return readAzureFile(path, { host: { ...realHost, readText } });
}

const good: ReadonlyArray<readonly [name: string, content: unknown, found: object]> = [
  ['a managed identity', { useManagedIdentityExtension: true, tenantId: 't' }, { tenantId: 't' }],
  ['of AKS, with all that is no concern of ours', ofAks(), { tenantId: 't', managedIdentity: 'i' }],
  ['nulls and empty texts', { useManagedIdentityExtension: true, tenantId: null, userAssignedIdentityID: '' }, {}],
  [
    'a comment of YAML',
    '# by hand\nuseManagedIdentityExtension: true\nuserAssignedIdentityID: i\n',
    { managedIdentity: 'i' },
  ],
  [
    'a resource id',
    { useManagedIdentityExtension: true, userAssignedIdentityID: 'SUBSCRIPTIONS/s/x' },
    { managedIdentity: '/subscriptions/s/x' },
  ],
];
for (const [name, content, found] of good) {
  await t.test(name, async (t) => t.strictSame(await read(content), found));
}

await t.test('a service principal, whose secret is not printed', async (t) => {
  const found = await read({ aadClientId: 'c', aadClientSecret: 'hidden' });
  t.equal(found.principal?.clientId, 'c');
  t.equal(found.principal?.secret.reveal(), 'hidden');
  t.notMatch(JSON.stringify(found), 'hidden');
});

const bad: ReadonlyArray<readonly [name: string, content: unknown, message: RegExp]> = [
  ['no file', undefined, /azure\.json does not exist/],
  ['no JSON', '{"aadClientSecret":"hidden"', /is not a valid azure\.json: the whole/],
  ['a list', [], /the whole/],
  ['a text where there is a switch', { useManagedIdentityExtension: 'true' }, /: usemanagedidentityextension$/],
  ['nobody', {}, /names neither a managed identity nor a service principal/],
  ['half a principal', { aadClientSecret: 'hidden' }, /names neither/],
  ['an Azure Stack', { useManagedIdentityExtension: true, cloud: 'AzureStackCloud' }, /an Azure Stack cloud/],
  [
    'a resource manager',
    { useManagedIdentityExtension: true, resourceManagerEndpoint: 'https://x' },
    /an Azure Stack cloud/,
  ],
];
for (const [name, content, message] of bad) {
  await t.test(`${name}: a failure that does not show the content`, async (t) => {
    const error = await read(content).catch((reason: unknown) => reason);
    t.match(error, { kind: 'misconfigured', message, remedy: String });
    t.notMatch(String(error), 'hidden');
  });
}

function ofAks(): object {
  return {
    cloud: 'AzurePublicCloud',
    tenantId: 't',
    subscriptionId: 's',
    aadClientId: 'msi',
    aadClientSecret: 'msi',
    resourceGroup: 'MC_x',
    vmType: 'vmss',
    useManagedIdentityExtension: true,
    userAssignedIdentityID: 'i',
    loadBalancerSku: 'Standard',
    cloudProviderBackoffRetries: 6,
    providerKeyVersion: '',
  };
}
