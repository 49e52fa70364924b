import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { run } from '../../../credential-provider/run.ts';
import { systemClock } from '../../../lib/clock.ts';
import { realHost } from '../../../lib/host.ts';
import { lookAlikeHosts as likeAws } from '../../clouds/aws/look-alike-hosts.ts';
import { lookAlikeHosts as likeAzure } from '../../clouds/azure/look-alike-hosts.ts';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask, requestBytes, requestsOf } from './provider.ts';

const lookAlikeHosts = [...likeAws, ...likeAzure];

await t.test('there are at least 60 hosts that only look like a registry', async (t) => {
  t.ok(lookAlikeHosts.length >= 60, `${lookAlikeHosts.length}`);
});

await t.test('none of them causes an HTTP call', async (t) => {
  for (const image of lookAlikeHosts) {
    const world = {
      env: {},
      host: realHost,
      clock: systemClock,
      random: Math.random,
      clouds,
      openHttp: () => {
        throw new Error('HTTP was opened');
      },
      writeStep: () => {},
    };
    const input = { request: requestBytes({ image }), verbosity: 0, startedAtMs: systemClock.monotonicMs() };
    const { exitCode, stdout } = await run(input, world);
    t.equal(exitCode, 0, image);
    t.match(JSON.parse(stdout), { cacheDuration: '0s', auth: {} }, image);
  }
});

await t.test(
  'the executable returns an empty response for each, without a call',
  requires(await namespaceSupport()),
  async (t) => {
    const network = await createAwsNetwork({ regions: ['us-west-2', 'us-east-1'], ipVersions: [4] });
    t.teardown(() => network.stop());
    for (const image of lookAlikeHosts) {
      const { answer } = await ask(network.namespace, { image });
      t.match(answer, { cacheDuration: '0s', auth: {} }, image);
    }
    t.strictSame(await requestsOf(network), []);
  },
);
