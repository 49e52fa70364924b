import t from 'tap';
import type { CloudEntry, ImageRegistry } from '../../../clouds/cloud.ts';
import { clouds } from '../../../clouds/index.ts';
import { run } from '../../../credential-provider/run.ts';
import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';
import { secretMarker } from '../../lab/clouds/secrets.ts';
import { createRandom } from '../../support/random.ts';
import type { GeneratedCase } from './generated-case.ts';
import { problemsOf } from './checks.ts';
import { serviceAt } from './destinations.ts';
import { checkOrigin } from './origin-checks.ts';
import type { CaseFixture } from './fixture.ts';
import { openCaseFixture } from './fixture.ts';
import { mutateValue } from './mutate.ts';
import { runFunctionCase } from './run-function.ts';
import type { TestedProvider } from './run-function.ts';
import { goDurationMs } from './response-checks.ts';
import { bareTraits } from '../../clouds/bare-traits.ts';

const boundMs = 500;
const image = 'registry.example.com/team/app:1';
/** In a form that the program's redaction does not know, so the checks must find it. */
const secret = `${secretMarker}-planted`;
const realProvider: TestedProvider = { run, clouds, boundMs };

interface Planted {
  readonly name: string;
  readonly subject: TestedProvider;
  readonly sees: RegExp;
  readonly token?: string;
  readonly verbosity?: number;
}

const remedy = 'look elsewhere';
const login = { username: 'robot', password: new Secret(secret), endsWithToken: false };

const planted: readonly Planted[] = [
  {
    name: 'a secret in a failure',
    subject: withLogin(() => Promise.reject(new Failure('denied', `keys ${secret}`, { remedy }))),
    sees: /a secret stands on standard error/,
  },
  {
    name: 'a secret inside base64 in a note',
    subject: withLogin(async (_registry, _as, { log }) => {
      log.info(Buffer.from(`x${secret}`).toString('base64').slice(0, 60));
      return login;
    }),
    sees: /a secret stands on standard error/,
  },
  {
    name: 'a secret in a step',
    subject: withLogin(async (_registry, _as, { log }) => {
      log.debug(`signed with ${secret}`);
      return login;
    }),
    verbosity: 1,
    sees: /a secret stands on standard error/,
  },
  {
    name: 'the token of the request',
    subject: changed((output, request) => ({ ...output, stderr: `${/"tok[^"]+"/.exec(request)?.[0]}\n` })),
    token: 'tok-of-a-pod-0123456789',
    sees: /the token stands on standard error/,
  },
  {
    name: 'two objects',
    subject: changed((output) => ({ ...output, stdout: output.stdout + output.stdout })),
    sees: /standard output is not one object on one line/,
  },
  {
    name: 'a line before the object',
    subject: changed((output) => ({ ...output, stdout: `warning\n${output.stdout}` })),
    sees: /standard output is not one object on one line/,
  },
  {
    name: 'a field more',
    subject: changed((output) => ({ ...output, stdout: output.stdout.replace('{', '{"more":1,') })),
    sees: /^fields /,
  },
  {
    name: 'a login for an image of nobody',
    subject: withLogin(() => Promise.resolve(login)),
    sees: /a login for an image of nobody/,
  },
  {
    name: 'a login for another registry',
    subject: changed((output) => ({
      ...output,
      stdout: output.stdout.replace('"auth":{}', '"auth":{"registry.example.co":{"username":"a","password":"b"}}'),
    })),
    sees: /auth for registry\.example\.co, which is not of the image/,
  },
  {
    name: 'a cache for ever',
    subject: changed((output) => ({ ...output, stdout: output.stdout.replace('"0s"', '"8760h0m0s"') })),
    sees: /cacheDuration 8760h0m0s/,
  },
  {
    name: 'a stranger',
    subject: withLogin(async (_registry, _as, { http, signal }) => {
      const limits = { connectMs: 100, totalMs: 100 };
      const url = new URL('http://evil.example/');
      await http.send({ method: 'GET', url, headers: {}, route: 'proxied', limits }, signal);
      return login;
    }),
    sees: /asked a stranger: proxied http:\/\/evil\.example/,
  },
  {
    name: 'the metadata service by way of a proxy',
    subject: withLogin(async (_registry, _as, { http, signal }) => {
      const limits = { connectMs: 100, totalMs: 100 };
      const url = new URL('http://169.254.169.254/');
      await http.send({ method: 'GET', url, headers: {}, route: 'proxied', limits }, signal);
      return login;
    }),
    sees: /asked a stranger: proxied http:\/\/169\.254\.169\.254/,
  },
  { name: 'a hang', subject: { ...realProvider, run: () => new Promise(() => {}) }, sees: /no end within 500 ms/ },
  {
    name: 'a crash',
    subject: { ...realProvider, run: () => Promise.reject(new TypeError('x is not a function')) },
    sees: /TypeError: x is not a function/,
  },
  {
    name: 'an error that nobody thought of',
    subject: withLogin(() => Promise.reject(new TypeError('x is not a function'))),
    sees: /an error that nobody thought of/,
  },
  {
    name: 'a promise that nobody waits for',
    subject: withLogin(() => {
      // oxlint-disable-next-line typescript/no-floating-promises -- this is what is planted
      Promise.reject(new Error('too late')).finally(() => undefined);
      return Promise.resolve(login);
    }),
    sees: /nobody expected: Error: too late/,
  },
  {
    name: 'a failure that says too much',
    subject: changed((output) => ({ ...output, stdout: '', stderr: `${'a'.repeat(700)}\n\u0007\n\n`, exitCode: 1 })),
    sees: /not printable.*3 lines.*704 characters.*no line that says what to do/,
  },
];

await t.test('the checks see what is planted', async (t) => {
  const place = await openCaseFixture();
  t.teardown(() => place.close());
  t.strictSame(
    await problems(place, { name: 'nothing', subject: realProvider, sees: /^$/ }),
    [],
    'and nothing where nothing is',
  );
  for (const each of planted) {
    await t.test(each.name, async (t) => {
      t.match((await problems(place, each)).join('; '), each.sees);
    });
  }
});

const ownHosts = 'gcp: {endpoints: {sts: "https://sts.lab.example/"}, universeDomain: lab.example}';
const hosts: readonly (readonly [config: string, host: string, service: string | undefined])[] = [
  ['', 'sts.googleapis.com', 'google-sts'],
  ['', 'iamcredentials.googleapis.com', 'iam'],
  ['', 'oauth2.googleapis.com', 'oauth2'],
  ['', 'sts.lab.example', undefined],
  ['', 'storage.googleapis.com', undefined],
  [ownHosts, 'sts.lab.example', 'google-sts'],
  [ownHosts, 'iamcredentials.lab.example', 'iam'],
  [ownHosts, 'oauth2.googleapis.com', 'oauth2'],
  [ownHosts, 'sts.googleapis.com', undefined],
  [ownHosts, 'iamcredentials.googleapis.com', undefined],
  [`# ${ownHosts}`, 'sts.lab.example', undefined],
  [`# ${ownHosts}`, 'sts.googleapis.com', 'google-sts'],
  ['gcp: {endpoints: {sts: "https://sts.lab.example/path"}}', 'sts.lab.example', undefined],
  ['azure: {authorityHost: "https://login.example"}', 'login.example', 'entra'],
  ['azure: {authorityHost: "https://login.example"}', 'login.microsoftonline.com', undefined],
  ['#azure: {authorityHost: "https://login.example"}', 'login.example', undefined],
];

await t.test('the hosts that a configuration names are allowed in place of the usual ones', async (t) => {
  for (const [config, host, service] of hosts) {
    const generated = { ...caseOf('gcr.io/lab/app:1'), files: { 'config.yaml': config } };
    t.equal(serviceAt(new URL(`https://${host}/`), generated), service, `${host} with ${config || 'no configuration'}`);
  }
});

const bodies: readonly (readonly [body: string, problems: readonly RegExp[]])[] = [
  ['{"access_token":"a","expires_in":3600}', []],
  ['{"access_token" \r:\n\t"a","expires_in":\n3600}', []],
  ['{"access_token":"b","expires_in":3600}', [/a login that was not answered/]],
  ['{"access_token":["a"],"expires_in":3600}', [/a login that was not answered/]],
  ['{"access_token":"a","expires_in"\n:\n60}', [/kept for 20m0s, told was a life of 60 s/]],
];

await t.test('a login is compared with the response, whatever whitespace its JSON has', async (t) => {
  const auth = { 'gcr.io': { username: 'oauth2accesstoken', password: 'a' } };
  const request = { service: 'gce', count: 1, method: 'GET', path: '/', host: 'a', headers: '', body: '' } as const;
  const outcome = {
    stdout: JSON.stringify({ auth, cacheDuration: '20m0s' }),
    stderr: '',
    exitCode: 0,
    errors: [],
    requests: [request],
    unexpectedRequests: [],
    durationMs: 1,
  };
  for (const [body, expected] of bodies) {
    const script: GeneratedCase['script'] = () => ({ parts: [Buffer.from(body)], end: 'keep' });
    const found = checkOrigin(outcome, { ...caseOf('gcr.io/lab/app:1'), script });
    t.equal(found.length, expected.length, body);
    t.match(found, expected, body);
  }
});

await t.test('every value is changed, also an object that has a text as toString', (t) => {
  const value = { nested: { toString: '', valueOf: null } };
  for (let count = 1; count <= 200; count += 1) {
    t.doesNotThrow(() => mutateValue(createRandom(`mutate ${count}`), value));
  }
  t.end();
});

await t.test('durations as Go reads them', async (t) => {
  const right: ReadonlyArray<readonly [text: string, ms: number]> = [
    ['0s', 0],
    ['5h59m3s', 21_543_000],
    ['1.5h', 5_400_000],
    ['-1s', -1_000],
    ['2ms', 2],
  ];
  for (const [text, ms] of right) t.equal(goDurationMs(text), ms, text);
  const wrong = ['', '5', '-', '1d', 'NaNs', '1e3s', ' 1s', '5h59m3'];
  for (const text of wrong) t.equal(goDurationMs(text), undefined, text);
});

async function problems(fixture: CaseFixture, { subject, token, verbosity = 0 }: Planted): Promise<readonly string[]> {
  const generated = { ...caseOf(image, token), verbosity };
  return problemsOf(await runFunctionCase(generated, fixture, subject), generated);
}

function caseOf(asked: string, token?: string): GeneratedCase {
  const request = {
    kind: 'CredentialProviderRequest',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    image: asked,
    ...(token !== undefined && { serviceAccountToken: token }),
  };
  return {
    request: { bytes: Buffer.from(JSON.stringify(request)), image: asked, token, owner: 'nobody' },
    verbosity: 0,
    env: {},
    files: {},
    wallAtStartMs: Date.now(),
    mayHang: false,
    script: () => ({ parts: [], end: 'close' }),
  };
}

type Output = Awaited<ReturnType<typeof run>>;

function changed(change: (output: Output, request: string) => Output): TestedProvider {
  return { ...realProvider, run: async (input, world) => change(await run(input, world), input.request) };
}

/** A cloud that takes every image for its own. */
function withLogin(logIn: ImageRegistry['logIn']): TestedProvider {
  const registry: ImageRegistry = {
    match: ({ registry: authKey }) => ({ kind: 'planted', authKey, servesWholeHost: true }),
    logIn,
  };
  const entry: CloudEntry = { ...bareTraits('planted'), load: async () => ({ name: 'planted', registry }) };
  return { ...realProvider, clouds: [entry] };
}
