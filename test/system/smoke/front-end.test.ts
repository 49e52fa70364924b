import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { askBoth } from '../programs/ask-both.ts';
import type { ProviderCall } from '../programs/provider.ts';

const ecr = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const images = [
  ...[ecr, `${ecr}/team`, 'public.ecr.aws', '999988887777.dkr.ecr.us-west-2.amazonaws.com'].map(
    (host) => `${host}/app`,
  ),
  ...['registry.example', 'docker.io', 'localhost:5000', '10.0.0.1:5000', '[::1]:5000'].map((host) => `${host}/app`),
  `${ecr}.attacker.example/app`,
  `a.${ecr}/app`,
  `${ecr}:443/app`,
  ecr,
  'app',
  '',
  'UPPER/app',
  ' ',
] as const;
const questions: readonly ProviderCall[] = [
  ...images.map((image) => ({ image })),
  { image: `${ecr}/app`, version: 'v1beta1' },
  { image: `${ecr}/app`, version: 'v1alpha1' },
  { image: `${ecr}/app`, env: { AWS_REGION: 'us-west-2' } },
];

await t.test('front end and broker answer as the full program does', requires(await namespaceSupport()), async (t) => {
  const network = await createAwsNetwork({ regions: ['us-west-2', 'us-east-1'], ipVersions: [4] });
  t.teardown(() => network.stop());
  t.ok(questions.length >= 20);
  for (const question of questions) {
    const { alone, throughFrontEnd } = await askBoth(network.namespace, question);
    t.strictSame(throughFrontEnd, alone, JSON.stringify(question));
  }
});
