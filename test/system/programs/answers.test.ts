import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask, requestsOf } from './provider.ts';

const regions = [
  'us-west-2',
  'us-east-1',
  'us-gov-west-1',
  'cn-north-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
] as const;

const account = '123456789012';

/** Image host → host of the API for its login. */
const hosts: ReadonlyArray<readonly [imageHost: string, apiHost: string]> = [
  [`${account}.dkr.ecr.us-west-2.amazonaws.com`, 'api.ecr.us-west-2.amazonaws.com'],
  [`${account}.dkr.ecr-fips.us-west-2.amazonaws.com`, 'ecr-fips.us-west-2.amazonaws.com'],
  [`${account}.dkr-ecr.us-west-2.on.aws`, 'ecr.us-west-2.api.aws'],
  [`${account}.dkr-ecr-fips.us-west-2.on.aws`, 'ecr-fips.us-west-2.api.aws'],
  [`${account}.dkr.ecr.us-gov-west-1.amazonaws.com`, 'api.ecr.us-gov-west-1.amazonaws.com'],
  [`${account}.dkr.ecr-fips.us-gov-west-1.amazonaws.com`, 'ecr-fips.us-gov-west-1.amazonaws.com'],
  [`${account}.dkr.ecr.cn-north-1.amazonaws.com.cn`, 'api.ecr.cn-north-1.amazonaws.com.cn'],
  [`${account}.dkr-ecr.cn-north-1.on.amazonwebservices.com.cn`, 'ecr.cn-north-1.api.amazonwebservices.com.cn'],
  [`${account}.dkr.ecr.eusc-de-east-1.amazonaws.eu`, 'api.ecr.eusc-de-east-1.amazonaws.eu'],
  [`${account}.dkr.ecr.us-iso-east-1.c2s.ic.gov`, 'api.ecr.us-iso-east-1.c2s.ic.gov'],
  [`${account}.dkr.ecr.us-isob-east-1.sc2s.sgov.gov`, 'api.ecr.us-isob-east-1.sc2s.sgov.gov'],
  [`${account}.dkr.ecr.eu-isoe-west-1.cloud.adc-e.uk`, 'api.ecr.eu-isoe-west-1.cloud.adc-e.uk'],
  [`${account}.dkr.ecr.us-isof-south-1.csp.hci.ic.gov`, 'api.ecr.us-isof-south-1.csp.hci.ic.gov'],
  ['public.ecr.aws', 'api.ecr-public.us-east-1.amazonaws.com'],
  ['ecr-public.aws.com', 'ecr-public.us-east-1.api.aws'],
];

await t.test(
  'the executable, at production addresses and names, without configuration',
  requires(await namespaceSupport()),
  async (t) => {
    const network = await createAwsNetwork({ regions, ipVersions: [4, 6] });
    t.teardown(() => network.stop());
    const { namespace, aws } = network;
    t.beforeEach(() => aws.reset());

    for (const [imageHost, apiHost] of hosts) {
      await t.test(`${imageHost} gets its login from ${apiHost}`, async (t) => {
        const region = /\.((?:us|eu|cn|eusc)[a-z-]*-\d)\./.exec(imageHost)?.[1] ?? 'us-east-1';
        await aws.update({ instance: { region } });
        const { answer } = await ask(namespace, { image: `${imageHost}/team/app` });
        t.match(answer, { cacheKeyType: 'Registry', cacheDuration: /^(?:5h59m5\d|6h0m0)s$/ });
        t.strictSame(Object.keys(answer?.auth ?? {}), [imageHost]);
        const issued = (await aws.state()).registryLogins;
        t.equal(issued.length, 1);
        t.equal(answer?.auth[imageHost]?.username, 'AWS');
        t.equal(
          answer?.auth[imageHost]?.password === issued[0]?.password,
          true,
          'the password is the one that was issued',
        );
        t.strictSame(
          await requestsOf(network),
          [
            'PUT 169.254.169.254 /latest/api/token',
            'GET 169.254.169.254 /latest/meta-data/iam/security-credentials/',
            'GET 169.254.169.254 /latest/meta-data/iam/security-credentials/lab-node',
            `POST ${apiHost} GetAuthorizationToken`,
          ],
          'four requests, each to the right host',
        );
      });
    }

    await t.test('the response has exactly the fields that the kubelet decodes', async (t) => {
      const { answer } = await ask(namespace, { image: `${account}.dkr.ecr.us-west-2.amazonaws.com/a` });
      t.strictSame(Object.keys(answer ?? {}), ['kind', 'apiVersion', 'cacheKeyType', 'cacheDuration', 'auth']);
    });

    for (const version of ['v1', 'v1beta1', 'v1alpha1'] as const) {
      await t.test(`a ${version} request gets a ${version} response`, async (t) => {
        const { answer } = await ask(namespace, { image: 'quay.io/a/b', version });
        t.equal(answer?.apiVersion, `credentialprovider.kubelet.k8s.io/${version}`);
      });
    }

    await t.test('a port stays in the key', async (t) => {
      const registry = `${account}.dkr.ecr.us-west-2.amazonaws.com:8443`;
      const { answer } = await ask(namespace, { image: `${registry}/team/app` });
      t.strictSame(Object.keys(answer?.auth ?? {}), [registry]);
    });

    await t.test('an image of an unknown registry gets an empty response, without a call', async (t) => {
      const { answer } = await ask(namespace, { image: 'registry.example.com/team/app' });
      t.match(answer, { cacheDuration: '0s', auth: {} });
      t.strictSame(await requestsOf(network), []);
    });
  },
);

await t.test('a node that has only IPv6', requires(await namespaceSupport()), async (t) => {
  const network = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [6] });
  t.teardown(() => network.stop());
  const { answer } = await ask(network.namespace, { image: `${account}.dkr-ecr.us-west-2.on.aws/team/app` });
  t.equal(answer?.cacheKeyType, 'Registry');
  t.strictSame(
    (await requestsOf(network)).map((request) => request.split(' ')[1]),
    ['[fd00:ec2::254]', '[fd00:ec2::254]', '[fd00:ec2::254]', 'ecr.us-west-2.api.aws'],
  );
});
