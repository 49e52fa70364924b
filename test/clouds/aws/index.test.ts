import t from 'tap';
import { createAws } from '../../../clouds/aws/index.ts';
import { runCloudConformance } from '../conformance.ts';
import { unusedContext } from '../contexts.ts';
import { fakeHost } from '../fake-host.ts';
import { awsConfig } from './config.ts';

const account = '123456789012';
const settings = {
  env: {},
  host: fakeHost({}),
  config: { ...awsConfig, roleAnnotations: ['eks.amazonaws.com/role-arn'] },
};

await runCloudConformance(t, createAws(settings), {
  folder: 'aws',
  hasEndpoint: true,
  images: [
    `${account}.dkr.ecr.us-east-1.amazonaws.com/team/app:1`,
    `${account}.dkr.ecr.us-east-1.amazonaws.com:5000/app`,
    `${account}.dkr.ecr-fips.us-gov-west-1.amazonaws.com/app`,
    `${account}.dkr.ecr.cn-north-1.amazonaws.com.cn/app`,
    `${account}.dkr.ecr.eusc-de-east-1.amazonaws.eu/app`,
    `${account}.dkr.ecr.us-iso-east-1.c2s.ic.gov/app`,
    `${account}.dkr.ecr.us-isob-east-1.sc2s.sgov.gov/app`,
    `${account}.dkr.ecr.eu-isoe-west-1.cloud.adc-e.uk/app`,
    `${account}.dkr.ecr.us-isof-south-1.csp.hci.ic.gov/app`,
    `${account}.dkr-ecr.us-east-1.on.aws/app@sha256:00`,
    `${account}.dkr-ecr-fips.us-east-1.on.aws/app`,
    `${account}.dkr-ecr.cn-north-1.on.amazonwebservices.com.cn/app`,
    'public.ecr.aws/alias/app',
    'ecr-public.aws.com/alias/app',
  ],
});

await t.test('a registry without an endpoint is refused before any request', async (t) => {
  const { registry } = createAws(settings);
  const matched = registry?.match({
    host: `${account}.dkr.ecr-fips.cn-north-1.amazonaws.com.cn`,
    registry: `${account}.dkr.ecr-fips.cn-north-1.amazonaws.com.cn`,
    repository: 'app',
  });
  t.ok(matched);
  if (registry === undefined || matched === undefined) return;
  await t.rejects(registry.logIn(matched, { kind: 'node' }, unusedContext), {
    kind: 'misconfigured',
    message: /no API endpoint/,
    remedy: /AWS_USE_FIPS_ENDPOINT/,
  });
});
