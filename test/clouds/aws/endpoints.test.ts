import t from 'tap';
import { endpointFor, isOn } from '../../../clouds/aws/endpoints.ts';
import type { EndpointQuery } from '../../../clouds/aws/endpoints.ts';

const kinds = {
  plain: { fips: false, dualStack: false },
  fips: { fips: true, dualStack: false },
  dual: { fips: false, dualStack: true },
  both: { fips: true, dualStack: true },
};

const rows: readonly (readonly [
  service: EndpointQuery['service'],
  region: string,
  kind: keyof typeof kinds,
  host: string | undefined,
])[] = [
  ['ecr', 'us-east-1', 'plain', 'api.ecr.us-east-1.amazonaws.com'],
  ['ecr', 'us-east-1', 'fips', 'ecr-fips.us-east-1.amazonaws.com'],
  ['ecr', 'us-east-1', 'dual', 'ecr.us-east-1.api.aws'],
  ['ecr', 'us-east-1', 'both', 'ecr-fips.us-east-1.api.aws'],
  ['ecr', 'us-gov-west-1', 'fips', 'ecr-fips.us-gov-west-1.amazonaws.com'],
  ['ecr', 'cn-north-1', 'plain', 'api.ecr.cn-north-1.amazonaws.com.cn'],
  ['ecr', 'cn-north-1', 'dual', 'ecr.cn-north-1.api.amazonwebservices.com.cn'],
  ['ecr', 'cn-north-1', 'fips', undefined],
  ['ecr', 'cn-north-1', 'both', undefined],
  ['ecr', 'nowhere-1', 'plain', undefined],
  ['ecr', '', 'plain', undefined],
  ['ecr', 'us-east-1.evil.example#', 'plain', undefined],
  ['ecr-public', 'us-east-1', 'plain', 'api.ecr-public.us-east-1.amazonaws.com'],
  ['ecr-public', 'us-east-1', 'dual', 'ecr-public.us-east-1.api.aws'],
  ['ec2', 'us-east-1', 'plain', 'ec2.us-east-1.amazonaws.com'],
  ['ec2', 'us-east-1', 'fips', 'ec2-fips.us-east-1.amazonaws.com'],
  ['ec2', 'us-east-1', 'dual', 'ec2.us-east-1.api.aws'],
  ['ec2', 'us-east-1', 'both', 'ec2-fips.us-east-1.api.aws'],
  ['ec2', 'cn-north-1', 'plain', 'ec2.cn-north-1.amazonaws.com.cn'],
  // GovCloud's own EC2 is the FIPS one as well.
  ['ec2', 'us-gov-west-1', 'fips', 'ec2.us-gov-west-1.amazonaws.com'],
  ['sts', 'us-east-1', 'plain', 'sts.us-east-1.amazonaws.com'],
  ['sts', 'us-east-1', 'fips', 'sts-fips.us-east-1.amazonaws.com'],
  ['sts', 'us-east-1', 'dual', 'sts.us-east-1.api.aws'],
  ['sts', 'us-east-1', 'both', 'sts-fips.us-east-1.api.aws'],
  // GovCloud's own STS is the FIPS one; there is no other name.
  ['sts', 'us-gov-west-1', 'fips', 'sts.us-gov-west-1.amazonaws.com'],
  ['sts', 'cn-northwest-1', 'plain', 'sts.cn-northwest-1.amazonaws.com.cn'],
  ['sts', 'us-iso-east-1', 'plain', 'sts.us-iso-east-1.c2s.ic.gov'],
  ['sts', 'us-isob-east-1', 'plain', 'sts.us-isob-east-1.sc2s.sgov.gov'],
  ['sts', 'eu-isoe-west-1', 'plain', 'sts.eu-isoe-west-1.cloud.adc-e.uk'],
  ['sts', 'us-isof-south-1', 'plain', 'sts.us-isof-south-1.csp.hci.ic.gov'],
  ['sts', 'eusc-de-east-1', 'plain', 'sts.eusc-de-east-1.amazonaws.eu'],
];

for (const [service, region, kind, host] of rows) {
  await t.test(`${service} in ${region || 'no region'}, ${kind}, is ${host ?? 'nowhere'}`, (t) => {
    const endpoint = endpointFor({ service, region, ...kinds[kind] }, {});
    t.equal(endpoint?.href, host === undefined ? undefined : `https://${host}/`);
    t.end();
  });
}

const query: EndpointQuery = { service: 'ecr', region: 'us-east-1', ...kinds.plain };

const environments: readonly (readonly [env: Readonly<Record<string, string>>, href: string | undefined])[] = [
  [{ AWS_USE_FIPS_ENDPOINT: 'true' }, 'https://ecr-fips.us-east-1.amazonaws.com/'],
  [{ AWS_USE_FIPS_ENDPOINT: 'TRUE' }, 'https://ecr-fips.us-east-1.amazonaws.com/'],
  [{ AWS_USE_FIPS_ENDPOINT: 'false' }, 'https://api.ecr.us-east-1.amazonaws.com/'],
  [{ AWS_USE_FIPS_ENDPOINT: '' }, 'https://api.ecr.us-east-1.amazonaws.com/'],
  [{ AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'https://ecr.us-east-1.api.aws/'],
  [{ AWS_USE_DUALSTACK_ENDPOINT: 'true', AWS_USE_FIPS_ENDPOINT: 'true' }, 'https://ecr-fips.us-east-1.api.aws/'],
  [{ AWS_ENDPOINT_URL_ECR: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/'],
  [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:2' }, 'http://127.0.0.1:2/'],
  [{ AWS_ENDPOINT_URL_ECR: 'http://127.0.0.1:1', AWS_ENDPOINT_URL: 'http://127.0.0.1:2' }, 'http://127.0.0.1:1/'],
  [{ AWS_ENDPOINT_URL_ECR: '', AWS_ENDPOINT_URL: 'http://127.0.0.1:2' }, 'http://127.0.0.1:2/'],
  [{ AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:1' }, 'https://api.ecr.us-east-1.amazonaws.com/'],
  [{ AWS_ENDPOINT_URL_ECR_PUBLIC: 'http://127.0.0.1:1' }, 'https://api.ecr.us-east-1.amazonaws.com/'],
  [
    { AWS_ENDPOINT_URL: 'http://127.0.0.1:2', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
    'https://api.ecr.us-east-1.amazonaws.com/',
  ],
  [{ AWS_ENDPOINT_URL: 'not an address' }, undefined],
  // Valid URLs that cannot be reached.
  [{ AWS_ENDPOINT_URL: 'localhost:4566' }, undefined],
  [{ AWS_ENDPOINT_URL: 'ftp://127.0.0.1' }, undefined],
  [{ AWS_ENDPOINT_URL: 'file:///etc/passwd' }, undefined],
];

for (const [env, href] of environments) {
  await t.test(`with ${JSON.stringify(env)} it is ${href ?? 'nowhere'}`, (t) => {
    t.equal(endpointFor(query, env)?.href, href);
    t.end();
  });
}

await t.test('the endpoint of one call is not changed by asking for another', (t) => {
  const first = endpointFor(query, {});
  first?.searchParams.set('x', 'y');
  t.equal(endpointFor(query, {})?.href, 'https://api.ecr.us-east-1.amazonaws.com/');
  t.end();
});

for (const [value, on] of [
  ['true', true],
  ['True', true],
  ['false', false],
  ['1', false],
  ['', false],
  [undefined, false],
] as const) {
  await t.test(`${JSON.stringify(value)} means ${on ? 'on' : 'off'}`, (t) => {
    t.equal(isOn(value), on);
    t.end();
  });
}
