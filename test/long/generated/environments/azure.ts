import { mutateText } from '../mutate.ts';
import { oddText, secretText } from '../odd-values.ts';
import type { Random } from '../../../support/random.ts';
import { clientId, tenantId } from '../roles.ts';
import { oddEndpoints, oddVariables } from '../environment-options.ts';
import type { GeneratedEnvironment, EnvironmentOptions } from '../environment-options.ts';
import { federationToken } from '../tokens.ts';

export function azureEnvironment(random: Random, options: EnvironmentOptions): GeneratedEnvironment {
  const concerned = options.owner === 'azure' || options.home === 'azure';
  const { env, files } = random.chance(concerned ? 0.5 : 0.1) ? identity(random, options) : { env: {}, files: {} };
  return { files, env: { ...env, ...endpoints(random, options), ...oddVariables(random, sdkNames, 0.03) } };
}

function identity(random: Random, options: EnvironmentOptions): GeneratedEnvironment {
  return random.pickWeighted<() => GeneratedEnvironment>([
    [3, () => ({ env: { AZURE_CLIENT_ID: managedIdentity(random) }, files: {} })],
    [3, () => ({ env: { ...application(random), AZURE_CLIENT_SECRET: secretText(random, '', 40) }, files: {} })],
    [1, () => certificate(random, options)],
    [3, () => tokenFile(random, options)],
  ])();
}

function managedIdentity(random: Random): string {
  return random.pickWeighted([
    [4, clientId],
    [1, '/subscriptions/0/resourceGroups/lab/providers/Microsoft.ManagedIdentity/userAssignedIdentities/lab'],
    [1, `/subscriptions/${'x/'.repeat(300)}`],
    [1, `${clientId}&resource=evil`],
    [1, oddText(random)],
  ]);
}

/** Half of it, or something else in its place, is a mistake and not an absence. */
function application(random: Random): Readonly<Record<string, string>> {
  return {
    ...(random.chance(0.95) && { AZURE_CLIENT_ID: random.chance(0.95) ? clientId : oddText(random) }),
    ...(random.chance(0.95) && {
      AZURE_TENANT_ID: random.chance(0.9) ? tenantId : random.pick(['../evil', 'common', '@']),
    }),
  };
}

function certificate(random: Random, { signer, path }: EnvironmentOptions): GeneratedEnvironment {
  return {
    files: { 'certificate.pem': random.chance(0.8) ? signer.pem : mutateText(random, signer.pem) },
    env: {
      ...application(random),
      AZURE_CLIENT_CERTIFICATE_PATH: path(random.chance(0.9) ? 'certificate.pem' : 'absent.pem'),
      AZURE_CLIENT_CERTIFICATE_PASSWORD: random.chance(0.9) ? signer.password : secretText(random, 'x', 20),
      ...(random.chance(0.3) && { AZURE_CLIENT_SEND_CERTIFICATE_CHAIN: random.pick(['true', '1', 'x']) }),
    },
  };
}

function tokenFile(random: Random, { path }: EnvironmentOptions): GeneratedEnvironment {
  return {
    files: {
      'azure-token': random.chance(0.9) ? federationToken(random, 'azure') : random.pick(['', '\n', oddText(random)]),
    },
    env: {
      ...application(random),
      AZURE_FEDERATED_TOKEN_FILE: path(random.chance(0.9) ? 'azure-token' : 'absent'),
    },
  };
}

function endpoints(random: Random, { urls, onlyLoopback }: EnvironmentOptions): Readonly<Record<string, string>> {
  const url = urls['azure-imds'];
  const host = random.pickWeighted([
    [40, url],
    [1, url.replace('//', `//robot:${secretText(random, '', 20)}@`)],
    [1, random.pick(oddEndpoints)],
  ]);
  return {
    ...((onlyLoopback || random.chance(0.5)) && { AZURE_POD_IDENTITY_AUTHORITY_HOST: host }),
    ...(random.chance(0.1) && { AZURE_AUTHORITY_HOST: random.pick(authorityHosts) }),
  };
}

const authorityHosts = [
  'https://login.microsoftonline.com',
  'https://login.microsoftonline.com/',
  'https://login.lab.example',
  'http://login.microsoftonline.com',
  'login.microsoftonline.com',
  'https://',
  '',
];

/** What this SDK of Azure, or another one, would read. */
const sdkNames = [
  'AZURE_REGIONAL_AUTHORITY_NAME',
  'AZURE_LOG_LEVEL',
  'AZURE_TOKEN_CREDENTIALS',
  'AZURE_ADDITIONALLY_ALLOWED_TENANTS',
  'AZURE_USERNAME',
  'AZURE_PASSWORD',
  'AZURE_KUBERNETES_TOKEN_PROXY',
  'IDENTITY_ENDPOINT',
  'IDENTITY_HEADER',
  'MSI_ENDPOINT',
  'MSI_SECRET',
];
