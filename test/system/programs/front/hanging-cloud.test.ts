import t from 'tap';
import { requestsOf } from '../provider.ts';
import { requires } from '../../../lab/requires.ts';
import { frontSupport } from './fixture.ts';
import { createWarmNode } from './warm-node.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/app';
const longestMs = 18_000;

await t.test(
  'a cloud that hangs: the broker says so in time, and the full program is not started',
  requires(await frontSupport()),
  async (t) => {
    const node = await createWarmNode();
    t.teardown(node.stop);
    await node.network.aws.addFault({ service: 'ecr', kind: 'hang' });
    const results = await Promise.all([node.ask({ image }), node.ask({ image })]);
    for (const { code, stdout, stderr, durationMs } of results) {
      t.match({ code, stdout }, { code: 1, stdout: '' });
      t.match(
        stderr,
        /^polycloud-credential-provider: .*api\.ecr\.us-west-2\.amazonaws\.com: no answer within the time/,
      );
      t.ok(durationMs < longestMs, `${durationMs} ms`);
    }
    const asked = (await requestsOf(node.network)).filter((line) => line.endsWith('GetAuthorizationToken'));
    t.equal(asked.length, 2, 'one login with one retry, for both');
    t.strictSame((await node.broker.send({})).status.requests, { answer: 0, failure: 2, decline: 0 });
  },
);
