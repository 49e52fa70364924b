import t from 'tap';
import { endpointOf, hostsOf } from './hosts.ts';

const hosts: readonly [host: string, service: string | undefined, region?: string][] = [
  ['api.ecr.us-west-2.amazonaws.com', 'ecr', 'us-west-2'],
  ['api.ecr.us-west-2.amazonaws.com:443', 'ecr', 'us-west-2'],
  ['ecr-fips.us-gov-west-1.amazonaws.com', 'ecr', 'us-gov-west-1'],
  ['ecr.eu-west-1.api.aws', 'ecr', 'eu-west-1'],
  ['api.ecr.cn-north-1.amazonaws.com.cn', 'ecr', 'cn-north-1'],
  ['api.ecr.us-iso-east-1.c2s.ic.gov', 'ecr', 'us-iso-east-1'],
  ['api.ecr.eusc-de-east-1.amazonaws.eu', 'ecr', 'eusc-de-east-1'],
  ['api.ecr-public.us-east-1.amazonaws.com', 'ecr-public', 'us-east-1'],
  ['ecr-public.us-east-1.api.aws', 'ecr-public', 'us-east-1'],
  ['ec2.us-west-2.amazonaws.com', 'ec2', 'us-west-2'],
  ['ec2-fips.us-east-1.amazonaws.com', 'ec2', 'us-east-1'],
  ['ec2.eu-west-1.api.aws', 'ec2', 'eu-west-1'],
  ['sts.us-west-2.amazonaws.com', 'sts', 'us-west-2'],
  ['sts.amazonaws.com', 'sts', 'us-east-1'],
  ['api.ecr.cn-north-1.amazonaws.com', undefined],
  ['api.ecr-public.eu-west-1.amazonaws.com', undefined],
  ['api.ecr.us-west-2.amazonaws.com.example', undefined],
  ['s3.us-west-2.amazonaws.com', undefined],
];

for (const [host, service, region] of hosts) {
  await t.test(`${host} is ${service ?? 'unknown'}`, (t) => {
    t.same(endpointOf(host), service && { service, region });
    t.end();
  });
}

await t.test('every host of a region is found again', (t) => {
  for (const region of ['us-east-1', 'us-gov-east-1', 'cn-northwest-1', 'us-isob-east-1']) {
    for (const { name, service } of hostsOf(region)) t.same(endpointOf(name), { service, region }, name);
  }
  t.end();
});
