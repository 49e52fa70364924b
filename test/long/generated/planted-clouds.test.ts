import t from 'tap';
import type { CloudEntry, ImageRegistry } from '../../../clouds/cloud.ts';
import { clouds } from '../../../clouds/index.ts';
import { run } from '../../../credential-provider/run.ts';
import { Secret } from '../../../lib/secret.ts';
import type { GeneratedCase } from './generated-case.ts';
import { problemsOf } from './checks.ts';
import type { ImageChoice } from './images.ts';
import { openCaseFixture } from './fixture.ts';
import type { CaseFixture } from './fixture.ts';
import { runFunctionCase } from './run-function.ts';
import type { TestedProvider } from './run-function.ts';
import type { RawResponse, RawRequest } from './raw-servers.ts';
import { bareTraits } from '../../clouds/bare-traits.ts';

type Output = Awaited<ReturnType<typeof run>>;

interface Planted {
  readonly name: string;
  readonly choice: ImageChoice;
  readonly token?: string;
  readonly subject?: TestedProvider;
  change?(output: Output): Output;
  readonly sees: RegExp;
}

const google: ImageChoice = { image: 'gcr.io/team/app', owner: 'gcp' };
const azure: ImageChoice = { image: 'acme.azurecr.io/team/app', owner: 'azure' };
const podToken = 'a.token-of-some-pod.0123456789';
const realProvider: TestedProvider = { run, clouds, boundMs: 5_000 };
const registryToken = `a.${Buffer.from('{"exp":1}').toString('base64url')}.b`;

type UnexpectedRequest = readonly [name: string, address: string, route: 'direct' | 'proxied', sees: RegExp];
const unexpectedRequests: readonly UnexpectedRequest[] = [
  [
    'the metadata service, by a pod',
    'http://169.254.169.254/metadata/identity',
    'direct',
    /a pod was taken for the node/,
  ],
  ['a registry, shown the token of a pod', 'https://acme.azurecr.io/v2/', 'proxied', /a token was shown to acr/],
  ['another registry', 'https://other.azurecr.io/v2/', 'proxied', /asked a stranger: proxied https:\/\/other/],
  [
    'the Entra of another Azure',
    'https://login.microsoftonline.us/',
    'proxied',
    /asked a stranger: .*microsoftonline\.us/,
  ],
  ['an API of another cloud', 'https://sts.googleapis.com/', 'proxied', /asked a stranger: .*googleapis/],
  ['a port of its own', 'https://acme.azurecr.io:8443/', 'proxied', /asked a stranger: .*8443/],
  ['user-info', 'https://robot@acme.azurecr.io/', 'proxied', /asked a stranger/],
  ['the metadata service by way of a proxy', 'http://169.254.169.254/metadata/identity', 'proxied', /asked a stranger/],
];

const planted: readonly Planted[] = [
  { name: 'nothing, on Google', choice: google, sees: /^$/ },
  { name: 'nothing, on Azure', choice: azure, sees: /^$/ },
  {
    name: 'an empty answer in place of a failure',
    choice: google,
    change: (output) => ({ ...output, stdout: output.stdout.replace(/"auth":\{.*\}\}/, '"auth":{}}') }),
    sees: /an empty answer for an image of gcp/,
  },
  {
    name: 'a login that nobody gave',
    choice: azure,
    change: (output) => ({ ...output, stdout: output.stdout.replace(/"password":"/, '"password":"x') }),
    sees: /a login that was not answered/,
  },
  {
    name: 'a login kept past its end',
    choice: azure,
    change: (output) => ({ ...output, stdout: output.stdout.replace('"0s"', '"1h0m0s"') }),
    sees: /kept for 1h0m0s/,
  },
  {
    name: 'a login kept for all of its life',
    choice: google,
    change: (output) => ({ ...output, stdout: output.stdout.replace(/"\d+m\d+s"/, '"59m59s"') }),
    sees: /kept for 59m59s, told was a life of 3600 s/,
  },
  ...unexpectedRequests.map((question) => askedWith(...question)),
];

await t.test('the checks see what is planted on Azure and Google', async (t) => {
  const place = await openCaseFixture();
  t.teardown(() => place.close());
  for (const each of planted) {
    await t.test(each.name, async (t) => t.match((await problems(place, each)).join('; '), each.sees));
  }
});

async function problems(fixture: CaseFixture, { choice, token, change, subject }: Planted): Promise<readonly string[]> {
  const request = {
    kind: 'CredentialProviderRequest',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    image: choice.image,
    ...(token !== undefined && { serviceAccountToken: token }),
  };
  const generated: GeneratedCase = {
    request: { bytes: Buffer.from(JSON.stringify(request)), token, ...choice },
    verbosity: 0,
    env: {},
    files: {},
    wallAtStartMs: Date.now(),
    mayHang: false,
    script: answerCorrectly,
  };
  const changed: TestedProvider = {
    ...realProvider,
    run: async (input, world) => (change ?? ((output: Output) => output))(await run(input, world)),
  };
  const outcome = await runFunctionCase(generated, fixture, subject ?? changed);
  const ended = outcome.exitCode === 0 ? [] : ['a failure'];
  return [...problemsOf(outcome, generated), ...(subject === undefined ? ended : [])];
}

/** Each service's correct response, as far as these cases need it. */
function answerCorrectly({ service, method, host }: RawRequest): RawResponse {
  const isRegistry = service === 'acr';
  const body = JSON.stringify(
    isRegistry ? { refresh_token: registryToken } : { access_token: 'token', expires_in: 3_600 },
  );
  const challenge = `401 No\r\nwww-authenticate: Bearer realm="https://${host}/oauth2/token",service="acme"`;
  const usual = service === 'gce' ? '200 OK\r\nmetadata-flavor: Google' : '200 OK';
  const head = isRegistry && method === 'GET' ? challenge : usual;
  return { parts: [Buffer.from(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)], end: 'keep' };
}

/** A cloud that sends a request to a host that it should not ask, with a pod's token. */
function askedWith(...[name, address, route, sees]: UnexpectedRequest): Planted {
  const registry: ImageRegistry = {
    match: ({ registry: authKey }) => ({ kind: 'planted', authKey, servesWholeHost: true }),
    logIn: async (_registry, _as, { http, signal }) => {
      const limits = { connectMs: 1_000, totalMs: 1_000 };
      await http.send({ method: 'POST', url: new URL(address), headers: {}, body: podToken, route, limits }, signal);
      return { username: 'robot', password: new Secret('password'), endsWithToken: false };
    },
  };
  const entry: CloudEntry = { ...bareTraits('planted'), load: async () => ({ name: 'planted', registry }) };
  return { name, choice: azure, token: podToken, subject: { ...realProvider, clouds: [entry] }, sees };
}
