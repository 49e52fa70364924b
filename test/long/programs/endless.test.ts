import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask } from '../../system/programs/provider.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const publicImage = 'public.ecr.aws/team/app';
const api = 'api.ecr.us-west-2.amazonaws.com';

/** Limits that are measured in tens of seconds; all of them at once, each in front of a service of its own. */
await t.test(
  'answers that never come end in time, and with a reason',
  requires(await namespaceSupport()),
  async (t) => {
    const longestMs = 51_000;
    const network = await createAwsNetwork({ regions: ['us-west-2', 'us-east-1'], ipVersions: [4] });
    const other = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
    t.teardown(() => Promise.all([network.stop(), other.stop()]));
    await network.aws.addFault({ service: 'ecr', kind: 'hang' });
    await network.aws.addFault({ service: 'ecr-public', kind: 'trickle', everyMs: 100 });
    await other.aws.addFault({ service: 'imds', kind: 'hang' });

    await t.test('all at once', async (t) => {
      const [hanging, trickling, silentMetadata, noInput] = await Promise.all([
        ask(network.namespace, { image }),
        ask(network.namespace, { image: publicImage }),
        ask(other.namespace, { image }),
        ask(network.namespace, { image, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://10.255.255.1' } }),
      ]);
      t.match(hanging.stderr, new RegExp(`${api}: no answer within the time allowed`));
      t.match(trickling.stderr, /api\.ecr-public\.us-east-1\.amazonaws\.com: no answer within the time allowed/);
      t.match(silentMetadata.stderr, /the instance metadata service at 169\.254\.169\.254: no answer within the time/);
      t.match(noInput.stderr, /the instance metadata service at 10\.255\.255\.1: there is no route to it/);
      for (const { code, durationMs } of [hanging, trickling, silentMetadata, noInput]) {
        t.equal(code, 1);
        t.ok(durationMs < longestMs, `ended after ${Math.round(durationMs / 1000)} s`);
      }
    });
  },
);
