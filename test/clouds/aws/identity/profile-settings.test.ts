import { join } from 'node:path';

import t from 'tap';
import { endpointFor } from '../../../../clouds/aws/endpoints.ts';
import type { AwsService } from '../../../../clouds/aws/endpoints.ts';
import { createAws } from '../../../../clouds/aws/index.ts';
import { openAccountSession } from '../../../../clouds/aws/instances/account-session.ts';
import { withProfileSettings } from '../../../../clouds/aws/identity/profile-settings.ts';
import { issueToken } from '../../../../clouds/aws/identity/issue-token.ts';
import { readCaBundle } from '../../../../clouds/aws/trust.ts';
import type { Identity } from '../../../../clouds/cloud.ts';
import type { Environment } from '../../../../lib/environment.ts';
import type { HttpRequest } from '../../../../lib/http/http.ts';
import { realHost } from '../../../../lib/host.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import { Secret } from '../../../../lib/secret.ts';
import { unusedContext } from '../../contexts.ts';
import { awsConfig } from '../config.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const caFile = join(t.testdirName, 'ca.pem');
const sharedConfig = `
[default]
use_fips_endpoint = true

[profile dual]
use_dualstack_endpoint = TRUE

[profile both]
use_fips_endpoint = true
use_dualstack_endpoint = true

[profile global]
endpoint_url = https://global.example

[profile services]
services = own
endpoint_url = https://global.example

[profile only-services]
services = own

[profile lost-services]
services = nowhere

[services own]
ecr =
  endpoint_url = https://ecr.example
ecr_public =
  endpoint_url = https://ecr-public.example
sts =
  endpoint_url = https://sts.example
s3 =
  endpoint_url = https://s3.example

[services other]
ecr =
  endpoint_url = https://other.example

[profile ignored]
ignore_configured_endpoint_urls = true
services = own
endpoint_url = https://global.example

[profile no-address]
endpoint_url = localhost:4566

[profile trust]
ca_bundle = ${caFile}

[profile mistyped]
use_fips_endpoint = yes

[profile pull]
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = secret
endpoint_url = https://pull.example
ca_bundle = ${caFile}
`;
const files = t.testdir({ 'ca.pem': pem, 'other.pem': `${pem}${pem}`, config: sharedConfig, credentials: '' });
const fileVariables = {
  AWS_CONFIG_FILE: join(files, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(files, 'credentials'),
};

const plain = 'https://api.ecr.us-east-1.amazonaws.com/';
const fips = 'https://ecr-fips.us-east-1.amazonaws.com/';

const rows: readonly (readonly [env: Environment, service: AwsService, href: string | undefined])[] = [
  [{}, 'ecr', fips],
  [{}, 'sts', 'https://sts-fips.us-east-1.amazonaws.com/'],
  [{ AWS_USE_FIPS_ENDPOINT: 'false' }, 'ecr', plain],
  [{ AWS_PROFILE: 'nobody' }, 'ecr', plain],
  [{ AWS_PROFILE: 'constructor' }, 'ecr', plain],
  [{ AWS_PROFILE: 'dual' }, 'ecr', 'https://ecr.us-east-1.api.aws/'],
  [{ AWS_PROFILE: 'both' }, 'ecr', 'https://ecr-fips.us-east-1.api.aws/'],
  [{ AWS_PROFILE: 'dual', AWS_USE_FIPS_ENDPOINT: 'true' }, 'ecr', 'https://ecr-fips.us-east-1.api.aws/'],
  [{ AWS_PROFILE: 'global' }, 'ecr', 'https://global.example/'],
  [{ AWS_PROFILE: 'global' }, 'sts', 'https://global.example/'],
  [{ AWS_PROFILE: 'global', AWS_ENDPOINT_URL: 'https://env.example' }, 'ecr', 'https://env.example/'],
  [{ AWS_PROFILE: 'global', AWS_ENDPOINT_URL_ECR: 'https://env.example' }, 'ecr', 'https://env.example/'],
  [{ AWS_PROFILE: 'global', AWS_ENDPOINT_URL_ECR: 'https://env.example' }, 'sts', 'https://global.example/'],
  [{ AWS_PROFILE: 'global', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }, 'ecr', plain],
  [{ AWS_PROFILE: 'services' }, 'ecr', 'https://ecr.example/'],
  [{ AWS_PROFILE: 'services' }, 'ecr-public', 'https://ecr-public.example/'],
  [{ AWS_PROFILE: 'services' }, 'sts', 'https://sts.example/'],
  [{ AWS_PROFILE: 'services' }, 'ec2', 'https://global.example/'],
  [{ AWS_PROFILE: 'services', AWS_ENDPOINT_URL: 'https://env.example' }, 'ecr', 'https://env.example/'],
  [{ AWS_PROFILE: 'services', AWS_ENDPOINT_URL_STS: 'https://env.example' }, 'ecr', 'https://ecr.example/'],
  [{ AWS_PROFILE: 'only-services' }, 'ecr', 'https://ecr.example/'],
  [{ AWS_PROFILE: 'only-services' }, 'ec2', 'https://ec2.us-east-1.amazonaws.com/'],
  [{ AWS_PROFILE: 'lost-services' }, 'ecr', plain],
  [{ AWS_PROFILE: 'ignored' }, 'ecr', plain],
  [{ AWS_PROFILE: 'ignored', AWS_ENDPOINT_URL: 'https://env.example' }, 'ecr', plain],
  [{ AWS_PROFILE: 'ignored', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false' }, 'ecr', 'https://ecr.example/'],
  [{ AWS_PROFILE: 'no-address' }, 'ecr', undefined],
];

for (const [env, service, href] of rows) {
  await t.test(`${service} with ${JSON.stringify(env)} and its profile is ${href ?? 'nowhere'}`, async (t) => {
    const wish = { service, region: 'us-east-1', fips: false, dualStack: false };
    t.equal(endpointFor(wish, (await inUse(env)).env)?.href, href);
  });
}

await t.test('a profile that is asked for by name goes before AWS_PROFILE', async (t) => {
  const { env } = await inUse({ AWS_PROFILE: 'global' }, 'dual');
  t.match(env, { AWS_USE_DUALSTACK_ENDPOINT: 'TRUE', AWS_ENDPOINT_URL: undefined });
});

await t.test('the profile names a CA bundle; AWS_CA_BUNDLE goes before it', async (t) => {
  t.equal(await readCaBundle(await inUse({ AWS_PROFILE: 'trust' })), pem);
  const other = { AWS_PROFILE: 'trust', AWS_CA_BUNDLE: join(files, 'other.pem') };
  t.equal(await readCaBundle(await inUse(other)), `${pem}${pem}`);
});

await t.test('a switch that is neither true nor false is a failure', async (t) => {
  await t.rejects(inUse({ AWS_PROFILE: 'mistyped' }), {
    kind: 'misconfigured',
    message: /^use_fips_endpoint of profile mistyped in the AWS configuration is neither true nor false$/,
  });
});

await t.test('without shared files nothing changes', async (t) => {
  const settings = settingsWith({ AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' });
  t.equal(await withProfileSettings(settings, undefined), settings);
});

const keys = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
const podRole = 'arn:aws:iam::123456789012:role/app';
const pod: Identity = { kind: 'token', token: new Secret('signed'), role: { 'eks.amazonaws.com/role-arn': podRole } };

const logins: readonly (readonly [
  what: string,
  as: Identity,
  env: Environment,
  asked: string,
  trust: string | undefined,
])[] = [
  ['the default profile', { kind: 'node' }, keys, fips, undefined],
  ['AWS_PROFILE', { kind: 'node' }, { ...keys, AWS_PROFILE: 'services' }, 'https://ecr.example/', undefined],
  ['nodeIdentity', { kind: 'node', select: 'pull' }, {}, 'https://pull.example/', pem],
  ["STS of the pod's role", pod, { AWS_PROFILE: 'services' }, 'https://sts.example/', undefined],
  ["STS of the pod's role", pod, { AWS_PROFILE: 'pull' }, 'https://pull.example/', pem],
];
for (const [what, as, env, asked, trust] of logins) {
  await t.test(`the profile selects the endpoint of the login: ${what}, ${asked}`, async (t) => {
    const { requests, context } = recording();
    const { registry } = createAws(settingsWith({ ...fileVariables, ...env }));
    const image = parseImageReference('123456789012.dkr.ecr.us-east-1.amazonaws.com/app');
    const match = image && registry?.match(image);
    if (match === undefined) return t.fail('no registry');
    await t.rejects(async () => registry?.logIn(match, as, context));

    t.match(requests[0], { url: { href: asked }, trustOnly: trust });
    return undefined;
  });
}

await t.test("so are the node's own token and the controller's look-ups", async (t) => {
  const env = { ...fileVariables, ...keys, AWS_PROFILE: 'services', AWS_REGION: 'us-east-1' };
  const proof = recording();
  await t.rejects(issueToken({ audience: 'x', select: undefined }, settingsWith(env), proof.context));
  t.match(proof.requests[0], { url: { href: 'https://sts.example/' } });
  const lookup = recording();
  const config = { name: 'a', region: 'us-east-1', profile: 'pull' };
  const session = openAccountSession({ cloud: 'aws', key: 'aws/a', region: 'us-east-1', config }, settingsWith(env));
  await t.rejects(session.request('ec2', { Action: 'DescribeInstances' }, lookup.context));
  t.match(lookup.requests[0], { url: { href: 'https://pull.example/' }, trustOnly: pem });
});

function inUse(env: Environment, select?: string): ReturnType<typeof withProfileSettings> {
  return withProfileSettings(settingsWith({ ...fileVariables, ...env }), select);
}

function settingsWith(env: Environment): Parameters<typeof withProfileSettings>[0] {
  return { env, host: realHost, config: { ...awsConfig, roleAnnotations: ['eks.amazonaws.com/role-arn'] } };
}

/** A network without responses that records what is sent. */
function recording(): { readonly requests: HttpRequest[]; readonly context: typeof unusedContext } {
  const requests: HttpRequest[] = [];
  const send = async (request: HttpRequest): Promise<never> => {
    requests.push(request);
    return Promise.reject(new Error('nobody answers'));
  };
  return { requests, context: { ...unusedContext, http: { send }, deadlineAtMs: 1 } };
}
