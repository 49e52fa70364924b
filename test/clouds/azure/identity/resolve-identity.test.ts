import t from 'tap';
import type { Identity } from '../../../../clouds/cloud.ts';
import {
  deniedIdentity,
  labApplication,
  labIssuer,
  labSecret,
  labTenant,
  objectIdOf,
  otherTenant,
  partnerApplication,
  podIdentity,
  systemIdentity,
  userIdentity,
} from '../../../lab/clouds/azure/state.ts';
import { startAzureLab } from '../azure-lab.ts';
import type { AzureNodeOptions } from '../azure-lab.ts';
import { clientKey, podIdentityOf, podToken, tenantKey } from '../pods.ts';
import { createClientCertificate } from '../client-certificate.ts';

const certificate = await createClientCertificate();
const azure = await startAzureLab(t);
const { lab } = azure;
const forApplication = { AZURE_CLIENT_ID: labApplication, AZURE_TENANT_ID: labTenant };
const tokenFile = { ...forApplication, AZURE_FEDERATED_TOKEN_FILE: '/token' };
const partner = { [clientKey]: partnerApplication, [tenantKey]: otherTenant };

interface Row {
  readonly name: string;
  readonly as: Identity;
  readonly setting?: AzureNodeOptions;
  readonly registry?: string;
  /** Client id of who it then is. */
  readonly is: string;
}

const rows: readonly Row[] = [
  { name: 'node: the managed identity of the machine', as: { kind: 'node' }, is: systemIdentity },
  {
    name: 'node: AZURE_CLIENT_ID alone chooses a managed identity',
    as: { kind: 'node' },
    setting: { env: { AZURE_CLIENT_ID: userIdentity } },
    is: userIdentity,
  },
  { name: 'node: one chosen by client id', as: { kind: 'node', select: userIdentity }, is: userIdentity },
  {
    name: 'node: one chosen by resource id',
    as: {
      kind: 'node',
      select: `/subscriptions/lab/resourcegroups/lab/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${userIdentity}`,
    },
    is: userIdentity,
  },
  {
    name: 'node: the one chosen is never passed over for the environment',
    as: { kind: 'node', select: userIdentity },
    setting: { env: { ...forApplication, AZURE_CLIENT_SECRET: labSecret } },
    is: userIdentity,
  },
  {
    name: 'node: a client secret of the environment',
    as: { kind: 'node' },
    setting: { env: { ...forApplication, AZURE_CLIENT_SECRET: labSecret } },
    is: labApplication,
  },
  {
    name: 'node: a token in a file, for an application',
    as: { kind: 'node' },
    setting: { env: tokenFile, files: { '/token': `${podToken(azure.signer, {})}\n` } },
    is: labApplication,
  },
  {
    name: 'node: its managed identity taking on an application of another tenant',
    as: { kind: 'node', role: partner },
    registry: 'partner.azurecr.io',
    is: partnerApplication,
  },
  {
    name: 'node: a chosen managed identity taking on an application of another tenant',
    as: { kind: 'node', select: userIdentity, role: partner },
    registry: 'partner.azurecr.io',
    is: partnerApplication,
  },
  {
    name: 'node: its token in a file taking on an application of another tenant',
    as: { kind: 'node', role: partner },
    setting: { env: tokenFile, files: { '/token': podToken(azure.signer, {}) } },
    registry: 'partner.azurecr.io',
    is: partnerApplication,
  },
  {
    name: 'pod: who its annotations say',
    as: pod({ [clientKey]: podIdentity, [tenantKey]: labTenant }),
    is: podIdentity,
  },
  {
    name: 'pod: the annotations of Azure Workload Identity',
    as: pod({ 'azure.workload.identity/client-id': podIdentity, 'azure.workload.identity/tenant-id': labTenant }),
    is: podIdentity,
  },
  {
    name: 'pod: those for the registry win',
    as: pod({ 'azure.workload.identity/client-id': deniedIdentity, [clientKey]: podIdentity, [tenantKey]: labTenant }),
    is: podIdentity,
  },
  {
    name: 'pod: the tenant of the configuration where none is named',
    as: pod({ [clientKey]: podIdentity }),
    setting: { config: { tenantId: labTenant }, env: { AZURE_TENANT_ID: otherTenant } },
    is: podIdentity,
  },
  {
    name: 'pod: the tenant of the environment where nothing else names one',
    as: pod({ [clientKey]: podIdentity }),
    setting: { env: { AZURE_TENANT_ID: labTenant } },
    is: podIdentity,
  },
  {
    name: 'pod: in another tenant',
    as: pod(partner),
    registry: 'partner.azurecr.io',
    is: partnerApplication,
  },
  {
    name: 'pod: annotations of our own choice',
    as: pod({ 'example.com/client': podIdentity, 'example.com/tenant': labTenant }),
    setting: { config: { clientIdAnnotations: ['example.com/client'], tenantIdAnnotations: ['example.com/tenant'] } },
    is: podIdentity,
  },
];

for (const { name, as, setting = {}, registry = 'acme.azurecr.io', is } of rows) {
  await t.test(name, async (t) => {
    await azure.logIn(`${registry}/app`, as, setting);
    t.equal((await lab.state()).registryLogins[0]?.objectId, objectIdOf(is));
    const toEntra = (await azure.requestLines()).filter((request) => request.includes('login.'));
    t.ok(toEntra.length <= 1, `Entra is asked once at most: ${toEntra.join()}`);
    if (as.kind === 'token') t.notOk((await azure.requestLines()).some((request) => request.includes('imds')));
  });
}

for (const sendChain of ['', 'true']) {
  await t.test(`node: a client certificate of the environment, chain sent: ${sendChain || 'no'}`, async (t) => {
    const { principals } = await lab.state();
    const own = principals[labApplication];
    if (own === undefined) throw new Error('the application is missing');
    await lab.update({ principals: { [labApplication]: { ...own, certificates: [certificate.certificate] } } });
    const env = {
      ...forApplication,
      AZURE_CLIENT_CERTIFICATE_PATH: '/client.pem',
      AZURE_CLIENT_CERTIFICATE_PASSWORD: certificate.password,
      AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: sendChain,
    };
    await azure.logIn('acme.azurecr.io/app', { kind: 'node' }, { env, files: { '/client.pem': certificate.pem } });
    t.equal((await lab.state()).registryLogins[0]?.objectId, objectIdOf(labApplication));
  });
}

const withRole = { [clientKey]: podIdentity, [tenantKey]: labTenant };

await t.test('Entra of the registry’s cloud is used, unless the environment names another', async (t) => {
  const hosts = { us: 'login.microsoftonline.us', cn: 'login.chinacloudapi.cn', io: 'login.microsoftonline.com' };
  for (const [end, host] of Object.entries(hosts)) {
    await lab.reset();
    await lab.update({ issuers: { [labIssuer]: { keys: [azure.signer.publicKey] } } });
    await azure.logIn(`acme.azurecr.${end}/app`, pod(withRole), {});
    t.ok((await azure.requestLines()).includes(`POST ${host} /${labTenant}/oauth2/v2.0/token`), host);
  }
  await azure.logIn('acme.azurecr.io/app', pod(withRole), {
    env: { AZURE_AUTHORITY_HOST: 'https://login.microsoftonline.us/' },
  });
  t.ok((await azure.requestLines()).includes(`POST login.microsoftonline.us /${labTenant}/oauth2/v2.0/token`));
});

const secret = { env: { ...forApplication, AZURE_CLIENT_SECRET: labSecret } };

await t.test('the SDK asks for the token and nothing else', async (t) => {
  await azure.logIn('acme.azurecr.io/app', { kind: 'node' }, secret);
  t.equal((await azure.requestLines()).filter((request) => request.includes('login.')).length, 1);
});

await t.test('in a cloud that it does not know the SDK first reads where to ask, of the same host', async (t) => {
  await azure.logIn('acme.azurecr.cn/app', { kind: 'node' }, secret);
  const asked = (await azure.requestLines()).filter((request) => !request.includes('acme'));
  t.match(asked, [/^GET login\.chinacloudapi\.cn .*openid-configuration$/, /^POST login\.chinacloudapi\.cn /]);
});

await t.test('the SDK is throttled: the wait that was asked for, then the token', async (t) => {
  await lab.addFault({ service: 'entra', kind: 'throttle', retryAfterS: 3, count: 1 });
  await azure.logIn(
    'acme.azurecr.io/app',
    { kind: 'node' },
    { env: { ...forApplication, AZURE_CLIENT_SECRET: labSecret } },
  );
  t.strictSame(azure.waitsMs, [3_000]);
});

function pod(role: Readonly<Record<string, string>>): Identity {
  return podIdentityOf(azure.signer, role, {});
}
