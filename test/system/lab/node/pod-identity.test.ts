import t from 'tap';
import { requires } from '../../../lab/requires.ts';
import { allowAudience, createServiceAccount } from '../../../lab/node/audience.ts';
import { providerIdOf } from '../../../lab/node/aws-node.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { sleepingImage } from '../../../lab/node/image/busybox-image.ts';
import { builtPlugin, podIdentityEntry } from '../../../lab/node/plugins.ts';
import type { PodOutcome } from '../../../lab/node/pods.ts';
import { nodeSupport } from '../../../lab/node/support.ts';

const name = 'polycloud-credential-provider-aws-pod';
const host = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const audience = 'sts.amazonaws.com';
const role = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/lab-pod' };

await t.test('private images by the pod’s identity', requires(await nodeSupport()), async (t) => {
  const providers = [podIdentityEntry(name, ['*.dkr.ecr.*.amazonaws.com'])];
  const node = await nodeFor(t, 'aws', { plugin: { providers, programs: { [name]: builtPlugin } } });
  const { aws } = node.clouds;
  await node.initialise(providerIdOf((await aws.state()).instance));
  await createServiceAccount(node.plane, 'puller', role);
  await createServiceAccount(node.plane, 'stranger', role);

  const image = `${host}/team/app:1`;
  await node.push(sleepingImage('app'), image);
  const pull = (pod: string, serviceAccount: string): Promise<PodOutcome> =>
    node.runPod({ name: pod, image, serviceAccount });

  await t.test('are not pulled while the kubelet may not ask for the audience', async (t) => {
    t.match(await pull('too-early', 'puller'), { pulled: false });
    t.match(await node.log('kubelet'), new RegExp(`not authorized to request tokens for audience .*${audience}`));
    t.same(await aws.requests(), []);
    await node.deletePod('too-early');
  });

  await t.test('are pulled with the token of the service account, and the node’s identity is not used', async (t) => {
    await allowAudience(node.plane, audience);
    t.match(await pull('trusted', 'puller'), { pulled: true });
    const asked = await aws.requests();
    t.same([...new Set(asked.map(({ service }) => service))].toSorted(), ['ecr', 'sts']);
    t.match(decodeClaims(asked.find(({ service }) => service === 'sts')?.body ?? ''), {
      aud: [audience],
      sub: 'system:serviceaccount:default:puller',
      'kubernetes.io': { node: { name: node.name } },
    });
    t.match((await aws.state()).registryLogins, [{ arn: /assumed-role\/lab-pod\// }]);
  });

  await t.test(
    'are not given to a service account that the role does not trust, though the image is here',
    async (t) => {
      t.match(await pull('not-trusted', 'stranger'), { pulled: false });
      const lines = await node.pluginLines(image);
      t.match(lines.at(-1), /polycloud-credential-provider: .*AssumeRoleWithWebIdentity.*hint: /);
    },
  );

  await t.test('nor to one without a role, for which the credential provider is not called', async (t) => {
    t.match(await pull('no-role', 'default'), { pulled: false });
    // The kubelet goes on trying for the others, so it is looked at who asked.
    const asked = await aws.requests();
    t.notOk(asked.some(({ service }) => service === 'imds'));
    t.notOk(asked.some(({ body }) => subjectOf(body) === 'system:serviceaccount:default:default'));
    t.ok(asked.some(({ body }) => subjectOf(body) === 'system:serviceaccount:default:stranger'));
  });
});

/** Of the token that a request shows to STS. */
function decodeClaims(body: string): Readonly<Record<string, unknown>> {
  const token = new URLSearchParams(body).get('WebIdentityToken') ?? '';
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}';
  return JSON.parse(claims) as Readonly<Record<string, unknown>>;
}

function subjectOf(body: string): unknown {
  return decodeClaims(body)['sub'];
}
