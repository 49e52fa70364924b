import t from 'tap';
import type { Identity } from '../../../../clouds/cloud.ts';
import {
  deniedIdentity,
  labApplication,
  labSecret,
  labTenant,
  otherTenant,
  partnerApplication,
  podIdentity,
} from '../../../lab/clouds/azure/state.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { startAzureLab } from '../azure-lab.ts';
import type { AzureNodeOptions } from '../azure-lab.ts';
import { createClientCertificate } from '../client-certificate.ts';
import { clientKey, podIdentityOf, tenantKey } from '../pods.ts';

const certificate = await createClientCertificate();
const azure = await startAzureLab(t);
const { lab } = azure;
const forApplication = { AZURE_CLIENT_ID: labApplication, AZURE_TENANT_ID: labTenant };
const tokenFile = { ...forApplication, AZURE_FEDERATED_TOKEN_FILE: '/token' };
const partner = { [clientKey]: partnerApplication, [tenantKey]: otherTenant };

interface Refusal {
  readonly name: string;
  readonly as: Identity;
  readonly options?: AzureNodeOptions;
  readonly says: RegExp;
  readonly remedy: RegExp;
  /** Of Entra and the metadata service. */
  readonly requestCount: number;
}

const withRole = { [clientKey]: podIdentity, [tenantKey]: labTenant };
const refusals: readonly Refusal[] = [
  {
    name: 'a pod without annotations',
    as: pod({}),
    says: /^no annotation names an Azure client id$/,
    remedy: /kubernetes\.azure\.com\/acr-client-id/,
    requestCount: 0,
  },
  {
    name: 'a pod without a tenant',
    as: pod({ [clientKey]: podIdentity }),
    says: /^no annotation names an Azure tenant id$/,
    remedy: /acr-tenant-id/,
    requestCount: 0,
  },
  {
    name: 'a pod whose client id is a name',
    as: pod({ [clientKey]: 'puller', [tenantKey]: labTenant }),
    says: /acr-client-id does not hold a client id/,
    remedy: /xxxxxxxx-/,
    requestCount: 0,
  },
  {
    name: 'a pod whose tenant is a path',
    as: pod({ [clientKey]: podIdentity, [tenantKey]: `${labTenant}/../common` }),
    says: /acr-tenant-id does not hold a tenant/,
    remedy: /xxxxxxxx-/,
    requestCount: 0,
  },
  {
    name: 'a pod of every tenant',
    as: pod({ [clientKey]: podIdentity, [tenantKey]: 'common' }),
    says: /does not hold a tenant/,
    remedy: /xxxxxxxx-/,
    requestCount: 0,
  },
  {
    name: 'a pod of another service account',
    as: pod(withRole, { sub: 'system:serviceaccount:default:other' }),
    says: /no federated credential matches.*\(AADSTS700213\)$/,
    remedy: /issuer, subject and audience/,
    requestCount: 1,
  },
  {
    name: 'a pod with a token for another audience',
    as: pod(withRole, { aud: ['vault'] }),
    says: /no federated credential matches.*\(AADSTS700212\)$/,
    remedy: /audience/,
    requestCount: 1,
  },
  {
    name: 'a pod of another cluster',
    as: pod(withRole, { iss: 'https://other.example' }),
    says: /no federated credential matches.*\(AADSTS700211\)$/,
    remedy: /issuer/,
    requestCount: 1,
  },
  {
    name: 'a pod with an expired token',
    as: pod(withRole, { exp: 1_700_000_000 }),
    says: /outside its time.*\(AADSTS700024\)$/,
    remedy: /clock/,
    requestCount: 1,
  },
  {
    name: 'a pod with a token that another key signed',
    as: podIdentityOf(createTokenSigner('RS256'), withRole, {}),
    says: /signature or form.*\(AADSTS50013\)$/,
    remedy: /keys/,
    requestCount: 1,
  },
  {
    name: 'a node whose chosen identity is not its own',
    as: { kind: 'node', select: podIdentity },
    says: /^this machine does not have the managed identity bbbbbbbb/,
    remedy: /assign the identity/,
    requestCount: 1,
  },
  {
    name: 'a node whose chosen identity is a name',
    as: { kind: 'node', select: 'puller' },
    says: /neither a client id nor a resource id/,
    remedy: /nodeIdentity or AZURE_CLIENT_ID/,
    requestCount: 0,
  },
  {
    name: 'a node with a secret that the SDK would take to a region',
    as: { kind: 'node' },
    options: {
      env: { ...forApplication, AZURE_CLIENT_SECRET: labSecret, AZURE_REGIONAL_AUTHORITY_NAME: 'westeurope' },
    },
    says: /AZURE_REGIONAL_AUTHORITY_NAME asks for an authority of a region, where \S+ is asked here/,
    remedy: /unset AZURE_REGIONAL_AUTHORITY_NAME/,
    requestCount: 0,
  },
  {
    name: 'a node with a secret for nobody',
    as: { kind: 'node' },
    options: { env: { AZURE_CLIENT_SECRET: labSecret } },
    says: /AZURE_CLIENT_SECRET is set, but AZURE_CLIENT_ID and AZURE_TENANT_ID do not name the application/,
    remedy: /set both/,
    requestCount: 0,
  },
  {
    name: 'a node with a wrong secret',
    as: { kind: 'node' },
    options: { env: { ...forApplication, AZURE_CLIENT_SECRET: 'LABSECRETwrong' } },
    says: /^the secret is not accepted: .*by its secret \(AADSTS7000215\)$/,
    remedy: /value of a secret/,
    requestCount: 1,
  },
  {
    name: 'a node with a certificate that is none',
    as: { kind: 'node' },
    options: { env: { ...forApplication, AZURE_CLIENT_CERTIFICATE_PATH: '/none.pem' }, files: { '/none.pem': 'none' } },
    says: /the certificate in \/none\.pem cannot be used/,
    remedy: /PEM/,
    requestCount: 0,
  },
  {
    name: 'a node with a certificate whose password is wrong',
    as: { kind: 'node' },
    options: {
      env: {
        ...forApplication,
        AZURE_CLIENT_CERTIFICATE_PATH: '/client.pem',
        AZURE_CLIENT_CERTIFICATE_PASSWORD: 'LABSECRETwrong',
      },
      files: { '/client.pem': certificate.pem },
    },
    says: /the certificate in \/client\.pem cannot be used/,
    remedy: /AZURE_CLIENT_CERTIFICATE_PASSWORD/,
    requestCount: 0,
  },
  {
    name: 'a node with a certificate that is not registered',
    as: { kind: 'node' },
    options: {
      env: {
        ...forApplication,
        AZURE_CLIENT_CERTIFICATE_PATH: '/client.pem',
        AZURE_CLIENT_CERTIFICATE_PASSWORD: certificate.password,
      },
      files: { '/client.pem': certificate.pem },
    },
    says: /signature or form of the proof is not accepted.*\(AADSTS700027\)/,
    remedy: /registered one/,
    requestCount: 1,
  },
  {
    name: 'a node with an empty token file',
    as: { kind: 'node' },
    options: { env: tokenFile, files: { '/token': ' \n' } },
    says: /there is no token in \/token/,
    remedy: /AZURE_FEDERATED_TOKEN_FILE/,
    requestCount: 0,
  },
  {
    name: 'a node with a secret that is to take on another application',
    as: { kind: 'node', role: partner },
    options: { env: { ...forApplication, AZURE_CLIENT_SECRET: labSecret } },
    says: /cannot be exchanged for a token of another application/,
    remedy: /managed identity/,
    requestCount: 0,
  },
  {
    name: 'a node that is to take on an application that does not trust it',
    as: { kind: 'node', select: deniedIdentity, role: partner },
    says: /no federated credential matches/,
    remedy: /subject/,
    requestCount: 2,
  },
  {
    name: 'an authority over plain http',
    as: pod(withRole),
    options: { env: { AZURE_AUTHORITY_HOST: 'http://login.microsoftonline.com' } },
    says: /not an https address/,
    remedy: /https:\/\/host/,
    requestCount: 0,
  },
];

for (const { name, as, options: setting = {}, says, remedy, requestCount: asked } of refusals) {
  await t.test(`${name} gets no login, and no other request is sent`, async (t) => {
    await t.rejects(azure.logIn('acme.azurecr.io/app', as, setting), { name: 'Failure', message: says, remedy });
    const requests = await azure.requestLines();
    t.equal(requests.filter((request) => !request.includes('/v2/')).length, asked, requests.join('\n'));
    t.strictSame((await lab.state()).registryLogins, []);
  });
}

const withSecret: AzureNodeOptions = { env: { ...forApplication, AZURE_CLIENT_SECRET: labSecret } };
const withCertificate: AzureNodeOptions = {
  env: {
    ...forApplication,
    AZURE_CLIENT_CERTIFICATE_PATH: '/client.pem',
    AZURE_CLIENT_CERTIFICATE_PASSWORD: certificate.password,
  },
  files: { '/client.pem': certificate.pem },
};
const noTokens: readonly unknown[] = [
  null,
  [],
  { expires_in: 3_599 },
  { access_token: '', expires_in: 3_599 },
  { access_token: ['token'], expires_in: 3_599 },
  { access_token: 12, expires_in: 3_599 },
];

for (const body of noTokens) {
  await t.test(`Entra returns ${JSON.stringify(body)}: no token, and the certificate is not blamed`, async (t) => {
    await lab.addFault({ service: 'entra', kind: 'status', status: 200, body: JSON.stringify(body) });
    for (const setting of [withSecret, withCertificate]) {
      await t.rejects(azure.logIn('acme.azurecr.io/app', { kind: 'node' }, setting), {
        name: 'Failure',
        kind: 'invalid-response',
        message: /answered without a usable token$/,
      });
    }
    const exchanges = (await azure.requestLines()).filter((request) => request.includes('/oauth2/exchange'));
    t.strictSame(exchanges, [], 'the registry was shown nothing');
  });
}

function pod(role: Readonly<Record<string, string>>, claims: Readonly<Record<string, unknown>> = {}): Identity {
  return podIdentityOf(azure.signer, role, claims);
}
