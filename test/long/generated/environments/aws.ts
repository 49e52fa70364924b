import { mutateText } from '../mutate.ts';
import { oddText, secretText, word } from '../odd-values.ts';
import type { Random } from '../../../support/random.ts';
import { chooseRoleArn } from '../roles.ts';
import { oddEndpoints, oddVariables } from '../environment-options.ts';
import type { GeneratedEnvironment, EnvironmentOptions } from '../environment-options.ts';

export function awsEnvironment(random: Random, options: EnvironmentOptions): GeneratedEnvironment {
  const { env, files } = identity(random, options);
  return {
    files: { ...files, config: sharedConfig(random), credentials: sharedCredentials(random) },
    env: { ...env, ...sharedFiles(random, options), ...endpoints(random, options), ...switches(random) },
  };
}

function identity(random: Random, options: EnvironmentOptions): GeneratedEnvironment {
  return random.pickWeighted<() => GeneratedEnvironment>([
    [12, () => ({ env: {}, files: {} })],
    [3, () => ({ env: accessKeys(random), files: {} })],
    [2, () => webIdentity(random, options)],
    [2, () => container(random, options)],
  ])();
}

function accessKeys(random: Random): Readonly<Record<string, string>> {
  const id = random.chance(0.9) ? `AKIALAB${random.characters('ABCDEFGHIJ234567', 13)}` : oddText(random);
  const secret = random.chance(0.9) ? secretText(random, '', 40) : mutateText(random, secretText(random, '', 40));
  return {
    ...(random.chance(0.95) && { AWS_ACCESS_KEY_ID: id }),
    ...(random.chance(0.95) && { AWS_SECRET_ACCESS_KEY: secret }),
    ...(random.chance(0.5) && { AWS_SESSION_TOKEN: secretText(random, 'IQoJb3JpZ2luX2Vj', 300) }),
  };
}

function webIdentity(random: Random, { path }: EnvironmentOptions): GeneratedEnvironment {
  const token = random.chance(0.9) ? secretText(random, 'eyJhbGciOi.', 200) : oddText(random);
  return {
    files: { token },
    env: {
      AWS_WEB_IDENTITY_TOKEN_FILE: path(random.chance(0.9) ? 'token' : 'absent'),
      ...(random.chance(0.9) && { AWS_ROLE_ARN: chooseRoleArn(random) }),
      ...(random.chance(0.3) && { AWS_ROLE_SESSION_NAME: random.chance(0.7) ? word(random) : oddText(random) }),
    },
  };
}

function container(random: Random, { urls, path, onlyLoopback }: EnvironmentOptions): GeneratedEnvironment {
  const hostile = [
    'http://169.254.170.2.evil.example/v1',
    'http://169.254.170.23@evil.example/',
    'http://evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://0x7f.1.evil.example/',
    'ftp://127.0.0.1/',
    '//evil.example',
    `${urls.container.replace('http', 'https')}/`,
  ];
  const relative = [
    '/v2/credentials/uuid',
    '@evil.example/',
    '.evil.example/',
    ':80@evil.example/',
    '#',
    '\\@evil.example/',
  ];
  const where = random.pickWeighted<() => Readonly<Record<string, string>>>([
    [8, () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${urls.container}/v1/credentials` })],
    [2, () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: random.pick(hostile) })],
    [onlyLoopback ? 0 : 3, () => ({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: random.pick(relative) })],
  ])();
  return {
    files: { 'container-token': random.chance(0.9) ? secretText(random, '', 60) : oddText(random) },
    env: {
      ...where,
      ...(random.chance(0.3) && { AWS_CONTAINER_AUTHORIZATION_TOKEN: secretText(random, 'Basic-', 60) }),
      ...(random.chance(0.3) && {
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: random.pick(['', path('container-token'), path('absent')]),
      }),
    },
  };
}

/** Always the test's own, never those of the user who runs it. */
function sharedFiles(random: Random, { path }: EnvironmentOptions): Readonly<Record<string, string>> {
  const isNamed = random.chance(0.25);
  const there = random.chance(isNamed ? 0.9 : 0.25);
  const profile = random.pickWeighted([
    [6, ''],
    [2, 'keys'],
    [2, 'chain'],
    [1, 'process'],
    [1, 'web'],
    [1, 'nobody'],
    [1, '__proto__'],
    [1, oddText(random)],
  ]);
  return {
    AWS_CONFIG_FILE: path(there ? 'config' : 'absent'),
    AWS_SHARED_CREDENTIALS_FILE: path(there ? 'credentials' : 'absent'),
    ...(isNamed && { AWS_PROFILE: profile }),
  };
}

function sharedConfig(random: Random): string {
  const text = `[default]
region = us-west-2
${random.chance(0.3) ? 'role_arn = arn:aws:iam::123456789012:role/lab-pod\ncredential_source = Ec2InstanceMetadata\n' : ''}
[profile chain]
role_arn = ${random.chance(0.9) ? 'arn:aws:iam::123456789012:role/lab-pod' : word(random)}
source_profile = ${random.pick(['keys', 'keys', 'chain', 'nobody', 'process'])}
external_id = ${word(random)}
duration_seconds = ${random.pick(['900', '3600', '-1', 'NaN', '99999'])}
[profile process]
credential_process = ${credentialProcess(random)}
[profile web]
role_arn = arn:aws:iam::123456789012:role/lab-pod
web_identity_token_file = /dev/null
[profile person]
sso_session = person
`;
  return random.chance(0.8) ? text : mutateText(random, text);
}

function credentialProcess(random: Random): string {
  const keys = { Version: 1, AccessKeyId: 'AKIALABPROCESS000000', SecretAccessKey: secretText(random, '', 40) };
  return random.pick([
    `echo '${JSON.stringify(keys)}'`,
    `echo '${JSON.stringify({ ...keys, Version: 2 })}'`,
    `echo '${JSON.stringify(keys)}' >&2; exit 3`,
    'printf "%01000d" 1',
    'kill -9 $$',
    '/nowhere/at/all',
  ]);
}

function sharedCredentials(random: Random): string {
  const text = `[keys]\naws_access_key_id = AKIALABPROFILE000000\naws_secret_access_key = ${secretText(random, '', 40)}\n`;
  return random.chance(0.85) ? text : mutateText(random, text);
}

function endpoints(random: Random, { urls, onlyLoopback }: EnvironmentOptions): Readonly<Record<string, string>> {
  const named = {
    AWS_EC2_METADATA_SERVICE_ENDPOINT: urls.imds,
    AWS_ENDPOINT_URL_ECR: urls.ecr,
    AWS_ENDPOINT_URL_ECR_PUBLIC: urls['ecr-public'],
    AWS_ENDPOINT_URL_STS: urls.sts,
  };
  const spoilt = Object.keys(named).filter(() => random.chance(0.02));
  const odd = Object.fromEntries(spoilt.map((name) => [name, random.pick(oddEndpoints)]));
  if (onlyLoopback || random.chance(0.6)) return { ...named, ...odd };
  return random.chance(0.5)
    ? {}
    : { AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: random.pick(['IPv6', 'ipv4', 'x']), ...odd };
}

const switchNames = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_EC2_METADATA_DISABLED'];
/** What the SDKs would read if we did not prevent it. */
const sdkNames = [
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_MAX_ATTEMPTS',
  'AWS_RETRY_MODE',
  'AWS_DEFAULTS_MODE',
  'AWS_SDK_UA_APP_ID',
  'AWS_ACCOUNT_ID_ENDPOINT_MODE',
  'AWS_AUTH_SCHEME_PREFERENCE',
  'AWS_SIGV4A_SIGNING_REGION_SET',
  'AWS_DISABLE_REQUEST_COMPRESSION',
  'AWS_REQUEST_MIN_COMPRESSION_SIZE_BYTES',
  'AWS_STS_REGIONAL_ENDPOINTS',
  'AWS_EXECUTION_ENV',
];

function switches(random: Random): Readonly<Record<string, string>> {
  const on = switchNames
    .filter(() => random.chance(0.06))
    .map((name) => [name, random.pick(['true', 'TRUE', 'false', '1', 'yes'])]);
  return { ...(Object.fromEntries(on) as Record<string, string>), ...oddVariables(random, sdkNames, 0.08) };
}
