import t from 'tap';
import type { Context } from '../../lib/context.ts';
import type { Cloud, CloudEntry } from '../../clouds/cloud.ts';
import { run } from '../../credential-provider/run.ts';
import type { Output } from '../../credential-provider/run.ts';
import { createHttp } from '../../lib/http/create-http.ts';
import { realHost } from '../../lib/host.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';
import type { FakeClock } from '../clocks/fake-clock.ts';
import { bareTraits } from '../clouds/bare-traits.ts';

const longestMs = 50_000;

await t.test('a cloud that never responds is a failure after 50 s, with a reason', async (t) => {
  const { clock, context, outcome } = start(0);
  const { log, signal, deadlineAtMs } = await context;
  log.debug('asked the registry');
  t.equal(deadlineAtMs, longestMs, 'the cloud knows how long it has');
  await clock.advance(longestMs - 1);
  t.notOk(signal.aborted, 'not before');
  await clock.advance(1);
  t.match(await outcome, {
    exitCode: 1,
    stdout: '',
    stderr: /^polycloud-credential-provider: no answer within 50 s, last: asked the registry; hint: /,
  });
  t.ok(signal.aborted, 'running calls are aborted');
});

await t.test('the time since the start of the process counts', async (t) => {
  const { clock, context, outcome } = start(20_000);
  t.equal((await context).deadlineAtMs, longestMs - 20_000);
  await clock.advance(longestMs - 20_000);
  t.match(await outcome, { exitCode: 1, stderr: /no answer within 50 s/ });
});

interface Started {
  readonly clock: FakeClock;
  /** The context that the cloud gets. */
  readonly context: Promise<Context>;
  readonly outcome: Promise<Output>;
}

/** The program, some time after its process was started, in front of a cloud that never responds. */
function start(ageMs: number): Started {
  const clock = createFakeClock(0);
  const asked = Promise.withResolvers<Context>();
  const never = Promise.withResolvers<never>();
  const silent: Cloud = {
    name: 'silent',
    registry: {
      match: ({ registry }) => ({ kind: 'silent', authKey: registry, servesWholeHost: true, region: '' }),
      logIn: (_registry, _as, context) => {
        asked.resolve(context);
        return never.promise;
      },
    },
  };
  const entry: CloudEntry = { ...bareTraits('silent'), load: () => Promise.resolve(silent) };
  const request = JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    image: 'registry.silent.example/app',
  });
  const outside = { env: {}, host: realHost, random: Math.random, openHttp: createHttp, writeStep: () => undefined };
  const input = { request, verbosity: 0, startedAtMs: clock.monotonicMs() - ageMs };
  return { clock, context: asked.promise, outcome: run(input, { ...outside, clock, clouds: [entry] }) };
}
