import { mutateText, mutateValue } from '../mutate.ts';
import { oddText, secretText } from '../odd-values.ts';
import type { Random } from '../../../support/random.ts';
import { poolProvider, serviceAccount } from '../roles.ts';
import { oddEndpoints, oddVariables } from '../environment-options.ts';
import type { GeneratedEnvironment, EnvironmentOptions } from '../environment-options.ts';
import { federationToken } from '../tokens.ts';

export function googleEnvironment(random: Random, options: EnvironmentOptions): GeneratedEnvironment {
  const concerned = options.owner === 'gcp' || options.home === 'gcp';
  const { env, files } = random.chance(concerned ? 0.45 : 0.1) ? credentials(random, options) : { env: {}, files: {} };
  return { files, env: { ...env, ...endpoints(random, options), ...oddVariables(random, sdkNames, 0.03) } };
}

function credentials(random: Random, options: EnvironmentOptions): GeneratedEnvironment {
  const { path } = options;
  const document = random.pickWeighted<() => unknown>([
    [3, () => key(random, options)],
    [4, () => external(random, options)],
    [2, () => impersonated(random, options)],
    [2, () => user(random)],
  ])();
  const text = random.pickWeighted<() => string>([
    [10, () => JSON.stringify(document)],
    [3, () => JSON.stringify(mutateValue(random, document))],
    [1, () => mutateText(random, JSON.stringify(document))],
    [1, () => oddText(random)],
  ])();
  return {
    files: {
      'google.json': text,
      'google-token': random.chance(0.9) ? federationToken(random, 'gcp') : oddText(random),
    },
    env: { GOOGLE_APPLICATION_CREDENTIALS: path(random.chance(0.95) ? 'google.json' : 'absent.json') },
  };
}

function key(random: Random, { signer }: EnvironmentOptions): object {
  return {
    type: 'service_account',
    project_id: 'lab-project',
    private_key_id: random.characters('0123456789abcdef', 40),
    private_key: random.chance(0.85) ? signer.privateKey : mutateText(random, signer.privateKey),
    client_email: random.chance(0.9) ? serviceAccount : oddText(random),
    token_uri: random.pick(['https://oauth2.googleapis.com/token', 'https://evil.example/token']),
    universe_domain: random.chance(0.95) ? 'googleapis.com' : 'evil.example',
  };
}

function external(random: Random, options: EnvironmentOptions): object {
  return {
    type: 'external_account',
    audience: random.chance(0.9)
      ? `//iam.googleapis.com/${poolProvider}`
      : random.pick(['//evil.example/', oddText(random)]),
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: random.pick(['https://sts.googleapis.com/v1/token', 'https://evil.example/v1/token']),
    ...(random.chance(0.4) && { service_account_impersonation_url: impersonationUrl(random) }),
    credential_source: source(random, options),
    ...(random.chance(0.1) && keysOfAws),
  };
}

/** As gcloud writes it for machines of AWS; signed requests of AWS are not made here. */
const keysOfAws = {
  subject_token_type: 'urn:ietf:params:aws:token-type:aws4_request',
  credential_source: {
    environment_id: 'aws1',
    url: 'http://169.254.169.254/latest/meta-data/iam/security-credentials',
  },
};

function source(random: Random, { path, urls }: EnvironmentOptions): object {
  const json = {
    format: { type: 'json', subject_token_field_name: random.pick(['access_token', '__proto__', 'absent']) },
  };
  return random.pickWeighted<object>([
    [6, { file: path(random.chance(0.9) ? 'google-token' : 'absent') }],
    [2, { url: `${urls['azure-imds']}/metadata/identity/oauth2/token`, headers: { metadata: 'true' }, ...json }],
    [1, { url: random.pick(hostileUrls) }],
    [1, { executable: { command: '/nowhere/at/all' } }],
    [1, { url: `${urls['azure-imds']}/`, headers: { 'x\r\ny': oddText(random) } }],
  ]);
}

/** No place that a file may send us to. */
const hostileUrls = [
  'http://evil.example/token',
  'http://169.254.169.254.evil.example/',
  'http://169.254.169.254@evil.example/',
  'http://localhost.evil.example/',
  'http://127.0.0.1.evil.example/',
  'http://[fd00.evil.example/',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  '//evil.example',
];

function impersonationUrl(random: Random): string {
  const right = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${serviceAccount}:generateAccessToken`;
  return random.pickWeighted([
    [6, right],
    [1, right.replace('iamcredentials.googleapis.com', 'evil.example')],
    [1, right.replace(serviceAccount, '..%2f..%2fevil')],
    [1, 'https://evil.example/'],
  ]);
}

function impersonated(random: Random, options: EnvironmentOptions): object {
  return {
    type: 'impersonated_service_account',
    service_account_impersonation_url: impersonationUrl(random),
    ...(random.chance(0.5) && { delegates: [random.chance(0.8) ? serviceAccount : oddText(random)] }),
    source_credentials: random.chance(0.5) ? user(random) : key(random, options),
  };
}

function user(random: Random): object {
  return {
    type: 'authorized_user',
    client_id: 'lab.apps.googleusercontent.com',
    client_secret: secretText(random, 'GOCSPX-', 35),
    refresh_token: secretText(random, '1//', 100),
  };
}

function endpoints(random: Random, { urls, onlyLoopback }: EnvironmentOptions): Readonly<Record<string, string>> {
  if (!onlyLoopback && random.chance(0.5)) return {};
  const { host } = new URL(urls.gce);
  return {
    GCE_METADATA_HOST: random.pickWeighted([
      [30, host],
      [8, urls.gce],
      [1, `robot:${secretText(random, '', 20)}@${host}`],
      [1, random.pick(oddEndpoints)],
    ]),
  };
}

/** What this library of Google, or another one, would read. */
const sdkNames = [
  'GOOGLE_CLOUD_PROJECT',
  'GCLOUD_PROJECT',
  'GOOGLE_CLOUD_QUOTA_PROJECT',
  'GOOGLE_CLOUD_UNIVERSE_DOMAIN',
  'CLOUDSDK_CONFIG',
  'GCE_METADATA_IP',
  'METADATA_SERVER_DETECTION',
  'DETECT_GCP_RETRIES',
  'GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES',
  'GOOGLE_API_USE_CLIENT_CERTIFICATE',
  'GOOGLE_SDK_NODE_LOGGING',
];
