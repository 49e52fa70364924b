import t from 'tap';
import { matchRegistry } from '../../../../clouds/aws/registry/hosts.ts';
import type { Registry } from '../../../../clouds/cloud.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import { lookAlikeHosts } from '../look-alike-hosts.ts';

interface Row {
  readonly host: string;
  readonly region: string;
  /** Where the login is asked for; absent: AWS has no such place. */
  readonly endpoint?: string;
}

const account = '123456789012';

const privateHosts: readonly Row[] = [
  plain('us-east-1', 'amazonaws.com'),
  plain('us-west-2', 'amazonaws.com'),
  plain('eu-central-1', 'amazonaws.com'),
  plain('ap-southeast-5', 'amazonaws.com'),
  plain('ap-northeast-3', 'amazonaws.com'),
  plain('sa-east-1', 'amazonaws.com'),
  plain('ca-west-1', 'amazonaws.com'),
  plain('me-central-1', 'amazonaws.com'),
  plain('af-south-1', 'amazonaws.com'),
  plain('il-central-1', 'amazonaws.com'),
  plain('mx-central-1', 'amazonaws.com'),
  plain('us-gov-west-1', 'amazonaws.com'),
  plain('us-gov-east-1', 'amazonaws.com'),
  plain('cn-north-1', 'amazonaws.com.cn'),
  plain('cn-northwest-1', 'amazonaws.com.cn'),
  plain('eusc-de-east-1', 'amazonaws.eu'),
  plain('us-iso-east-1', 'c2s.ic.gov'),
  plain('us-iso-west-1', 'c2s.ic.gov'),
  plain('us-isob-east-1', 'sc2s.sgov.gov'),
  plain('eu-isoe-west-1', 'cloud.adc-e.uk'),
  plain('us-isof-south-1', 'csp.hci.ic.gov'),
  plain('us-isof-east-1', 'csp.hci.ic.gov'),
  fips('us-east-1', 'amazonaws.com'),
  fips('us-gov-west-1', 'amazonaws.com'),
  fips('eusc-de-east-1', 'amazonaws.eu'),
  dualStack('us-east-1'),
  dualStack('eu-west-1'),
  dualStack('us-gov-west-1'),
  dualStackFips('us-east-1'),
  dualStackFips('us-gov-east-1'),
  {
    host: `${account}.dkr-ecr.cn-north-1.on.amazonwebservices.com.cn`,
    region: 'cn-north-1',
    endpoint: 'ecr.cn-north-1.api.amazonwebservices.com.cn',
  },
  // There is no FIPS in China, but whose host it is is clear.
  { host: `${account}.dkr.ecr-fips.cn-north-1.amazonaws.com.cn`, region: 'cn-north-1' },
];

for (const { host, region, endpoint } of privateHosts) {
  await t.test(`${host} is asked for at ${endpoint ?? 'no place'}`, (t) => {
    const registry = match(`${host}/team/app:1`);
    const { endpoint: found, ...rest } = registry ?? { kind: 'none' };
    t.strictSame(rest, { kind: 'ecr', authKey: host, servesWholeHost: true, region });
    t.equal(found?.href, endpoint === undefined ? undefined : `https://${endpoint}/`);
    t.end();
  });
}

for (const { host, endpoint } of [
  { host: 'public.ecr.aws', endpoint: 'https://api.ecr-public.us-east-1.amazonaws.com/' },
  { host: 'ecr-public.aws.com', endpoint: 'https://ecr-public.us-east-1.api.aws/' },
]) {
  await t.test(`${host} is ECR Public, asked for at ${endpoint}`, (t) => {
    const { endpoint: found, ...rest } = match(`${host}/alias/app:1`) ?? { kind: 'none' };
    t.strictSame(rest, { kind: 'ecr-public', authKey: host, servesWholeHost: true, region: 'us-east-1' });
    t.equal(found?.href, endpoint);
    t.end();
  });
}

for (const host of [`${account}.dkr.ecr.us-east-1.amazonaws.com:443`, 'public.ecr.aws:8443', 'ecr-public.aws.com:1']) {
  await t.test(`the port of ${host} stays in the key and out of the endpoint`, (t) => {
    const registry = match(`${host}/app`);
    t.equal(registry?.authKey, host);
    t.equal(registry?.endpoint?.port, '');
    t.end();
  });
}

await t.test("an operator's own endpoint is used for hosts of the tables, and makes none of other hosts", (t) => {
  const env = { AWS_ENDPOINT_URL_ECR: 'http://127.0.0.1:4566' };
  t.equal(match(`${account}.dkr.ecr.us-east-1.amazonaws.com/app`, env)?.endpoint?.href, 'http://127.0.0.1:4566/');
  t.equal(match('evil.example/app', env), undefined);
  t.end();
});

await t.test('at least 60 look-alikes are tried, each once', (t) => {
  t.ok(lookAlikeHosts.length >= 60);
  t.equal(new Set(lookAlikeHosts).size, lookAlikeHosts.length);
  t.end();
});

for (const image of lookAlikeHosts) {
  await t.test(`${JSON.stringify(image)} is not ours`, (t) => {
    t.equal(match(image), undefined);
    t.equal(match(image, { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_USE_FIPS_ENDPOINT: 'true' }), undefined);
    t.end();
  });
}

function match(image: string, env?: Readonly<Record<string, string>>): Registry | undefined {
  const reference = parseImageReference(image);
  return reference && matchRegistry(reference, env ?? {});
}

function plain(region: string, suffix: string): Row {
  return { host: `${account}.dkr.ecr.${region}.${suffix}`, region, endpoint: `api.ecr.${region}.${suffix}` };
}

function fips(region: string, suffix: string): Row {
  return { host: `${account}.dkr.ecr-fips.${region}.${suffix}`, region, endpoint: `ecr-fips.${region}.${suffix}` };
}

function dualStack(region: string): Row {
  return { host: `${account}.dkr-ecr.${region}.on.aws`, region, endpoint: `ecr.${region}.api.aws` };
}

function dualStackFips(region: string): Row {
  return { host: `${account}.dkr-ecr-fips.${region}.on.aws`, region, endpoint: `ecr-fips.${region}.api.aws` };
}
