import t from 'tap';
import { createAws } from '../../clouds/aws/index.ts';
import { createAzure } from '../../clouds/azure/index.ts';
import type { Cloud, Identity } from '../../clouds/cloud.ts';
import { createGcp } from '../../clouds/gcp/index.ts';
import { parseImageReference } from '../../lib/image-reference.ts';
import { Secret } from '../../lib/secret.ts';
import { awsConfig } from './aws/config.ts';
import { azureConfig } from './azure/config.ts';
import { unusedContext } from './contexts.ts';
import { fakeHost } from './fake-host.ts';
import { gcpConfig } from './gcp/config.ts';

const host = fakeHost({});
const roleKey = 'example.com/role';
const aws = createAws({ env: {}, host, config: { ...awsConfig, roleAnnotations: [roleKey] } });
const azure = createAzure({ env: {}, host, config: azureConfig });
const gcp = createGcp({ env: {}, host, config: gcpConfig });
const ecrImage = '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1';
const ecr = 'https://api.ecr.us-west-2.amazonaws.com';
const sts = 'https://sts.us-west-2.amazonaws.com';
const metadata = 'http://169.254.169.254';
const node: Identity = { kind: 'node' };
const role = { [roleKey]: 'arn:aws:iam::123456789012:role/app' };
const token = new Secret('signed');
const account = { 'iam.gke.io/gcp-service-account': 'app@project.iam.gserviceaccount.com' };

interface Case {
  readonly what: string;
  readonly cloud: Cloud;
  readonly image: string;
  readonly as: Identity;
  /** Until the first answer is there. */
  readonly expected: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: 'ECR while the metadata service is asked',
    cloud: aws,
    image: ecrImage,
    as: node,
    expected: [`warm ${ecr}`, `ask ${metadata}`],
  },
  {
    what: 'the API of the FIPS host for an image of a FIPS host',
    cloud: aws,
    image: '123456789012.dkr.ecr-fips.us-west-2.amazonaws.com/app:1',
    as: node,
    expected: ['warm https://ecr-fips.us-west-2.amazonaws.com', `ask ${metadata}`],
  },
  {
    what: 'STS and ECR for a node that takes on a role',
    cloud: aws,
    image: ecrImage,
    as: { kind: 'node', role },
    expected: [`warm ${sts}`, `warm ${ecr}`, `ask ${metadata}`],
  },
  {
    what: 'STS before its SDK is there, and ECR, for a pod',
    cloud: aws,
    image: ecrImage,
    as: { kind: 'token', token, role },
    expected: [`warm ${sts}`, `warm ${ecr}`, `ask ${sts}`],
  },
  {
    what: 'nobody for a pod that is nobody',
    cloud: aws,
    image: ecrImage,
    as: { kind: 'token', token, role: {} },
    expected: [],
  },
  {
    what: 'IAM while the metadata server is asked',
    cloud: gcp,
    image: 'us-west1-docker.pkg.dev/project/repository/app:1',
    as: { kind: 'node', role: account },
    expected: [`ask ${metadata}`, 'warm https://iamcredentials.googleapis.com'],
  },
  {
    what: 'nobody where the metadata server alone is asked',
    cloud: gcp,
    image: 'us-west1-docker.pkg.dev/project/repository/app:1',
    as: node,
    expected: [`ask ${metadata}`],
  },
  {
    what: 'nobody where the registry itself is asked at once',
    cloud: azure,
    image: 'acme.azurecr.io/app:1',
    as: node,
    expected: [`ask ${metadata}`, 'ask https://acme.azurecr.io'],
  },
];

for (const { what, cloud, image, as, expected } of cases) {
  await t.test(`a connection is begun to ${what}`, async (t) => {
    const seen: string[] = [];
    const http = {
      preconnect: ({ url }: { readonly url: URL }): void => void seen.push(`warm ${url.origin}`),
      send: async ({ url }: { readonly url: URL }) => {
        seen.push(`ask ${url.origin}`);
        return Promise.reject(new Error('seen'));
      },
    };
    const reference = parseImageReference(image);
    const registry = reference && cloud.registry?.match(reference);
    if (registry === undefined) throw new Error(`${cloud.name} does not know ${image}`);
    // The time is over, so there is no second request.
    const context = { ...unusedContext, http, deadlineAtMs: 0 };
    await t.rejects(async () => cloud.registry?.logIn(registry, as, context));
    t.strictSame(seen, expected);
  });
}
