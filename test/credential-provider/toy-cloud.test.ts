import t from 'tap';
import { clouds } from '../../clouds/index.ts';
import type { Cloud, CloudEntry } from '../../clouds/cloud.ts';
import { run } from '../../credential-provider/run.ts';
import type { ProviderRuntime } from '../../credential-provider/runtime.ts';
import { systemClock } from '../../lib/clock.ts';
import { createHttp } from '../../lib/http/create-http.ts';
import { realHost } from '../../lib/host.ts';
import { Secret } from '../../lib/secret.ts';
import { fakeHost } from '../clouds/fake-host.ts';
import { bareTraits } from '../clouds/bare-traits.ts';

/** A cloud that the program does not know: this and a line in clouds/index.ts are all it needs. */
const toy: Cloud = {
  name: 'toy',
  registry: {
    match: (image) =>
      image.host.endsWith('.toy.example')
        ? { kind: 'toy', authKey: image.registry, servesWholeHost: true, region: image.host.split('.', 1)[0] ?? '' }
        : undefined,
    logIn: async (registry, as, context) => ({
      username: `${as.kind} in ${registry.region}`,
      password: new Secret('toy'),
      expiresAtMs: context.clock.wallMs() + 2 * 60 * 60_000,
      endsWithToken: as.kind === 'token',
    }),
  },
};

const toyEntry: CloudEntry = { ...bareTraits('toy'), load: async () => toy };

const runtime: ProviderRuntime = {
  env: {},
  host: realHost,
  clock: { ...systemClock, wallMs: () => 0 },
  random: Math.random,
  clouds: [...clouds, toyEntry],
  openHttp: createHttp,
  writeStep: () => {},
};

function requestFor(image: string, more: object): string {
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  return JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image, ...more });
}

await t.test('a new cloud is served without a change of the program', async (t) => {
  const request = requestFor('north.toy.example:5000/team/app', {});
  const { stdout, exitCode } = await run({ request, verbosity: 0, startedAtMs: systemClock.monotonicMs() }, runtime);
  t.equal(exitCode, 0);
  t.strictSame(JSON.parse(stdout), {
    kind: 'CredentialProviderResponse',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    cacheKeyType: 'Registry',
    cacheDuration: '1h0m0s',
    auth: { 'north.toy.example:5000': { username: 'node in north', password: 'toy' } },
  });
});

await t.test("a pod's token reaches it, and other images do not", async (t) => {
  const startedAtMs = systemClock.monotonicMs();
  const request = requestFor('south.toy.example/app', { serviceAccountToken: 'a.b.c' });
  const { stdout } = await run({ request, verbosity: 0, startedAtMs }, runtime);
  t.match(JSON.parse(stdout), { auth: { 'south.toy.example': { username: 'token in south' } } });
  const other = await run({ request: requestFor('toy.example.evil/app', {}), verbosity: 0, startedAtMs }, runtime);
  t.match(JSON.parse(other.stdout), { auth: {} });
});

await t.test('a configuration that cannot be read is a failure for every image', async (t) => {
  const host = fakeHost({ '/config.yaml': 'registries: [{ match: "[fd00::1]:5000", as: public.ecr.aws }]' });
  for (const image of ['[fd00::1]:5000/app', 'registry.example/app']) {
    const input = { request: requestFor(image, {}), verbosity: 0, startedAtMs: 0, configFile: '/config.yaml' };
    const { stdout, stderr, exitCode } = await run(input, {
      ...runtime,
      host,
      clock: { ...runtime.clock, monotonicMs: () => 0 },
    });
    t.match({ stdout, exitCode }, { stdout: '', exitCode: 1 }, image);
    t.match(stderr, /registries\[0\]\.match must be host\[:port\]/);
  }
});
