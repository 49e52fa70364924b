import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { lookAlikeHosts } from '../../clouds/gcp/look-alike-hosts.ts';
import { createCloudNetwork } from '../../lab/cloud-network.ts';
import { mayPull } from '../../lab/clouds/gcp/registry.ts';
import { gcpSite } from '../../lab/clouds/gcp/site.ts';
import {
  clusterIssuer,
  clusterPool,
  deniedAccount,
  labIssuer,
  nodeAccount,
  podAccount,
  providerName,
  pullerSubject,
} from '../../lab/clouds/gcp/state.ts';
import { secretMarker } from '../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../lab/clouds/token-signer.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask } from './provider.ts';
import type { ProviderOutcome } from './provider.ts';

const image = 'us-west1-docker.pkg.dev/project/repository/app';
const fromMetadata = 'GET 169.254.169.254 /computeMetadata/v1/instance/service-accounts/default/token';
const fromSts = 'POST sts.googleapis.com /v1/token';
const fromIam = `POST iamcredentials.googleapis.com /v1/projects/-/serviceAccounts/${encodeURIComponent(podAccount)}:generateAccessToken`;

await t.test('Google, at production addresses and names', requires(await namespaceSupport()), async (t) => {
  const sites = [gcpSite('googleapis.com')];
  const network = await createCloudNetwork({ sites, machineOf: 'gcp', ipVersions: [4] });
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-google-'));
  t.teardown(async () => {
    await network.stop();
    await rm(directory, { recursive: true });
  });
  const { namespace } = network;
  const { gcp } = network.clouds;
  const signer = createTokenSigner('RS256');
  t.beforeEach(async () => {
    await gcp.reset();
    const { providers } = await gcp.state();
    const trusting = Object.entries(providers).map(([name, each]) => [name, { ...each, keys: [signer.publicKey] }]);
    await gcp.update({ providers: Object.fromEntries(trusting) as typeof providers });
  });
  const asked = async (): Promise<readonly string[]> =>
    (await gcp.requests()).map(({ method, host, path }) => `${method} ${host} ${path}`);
  const file = async (name: string, content: unknown): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  /** The owner of the login, if the registry accepts it. */
  const pullsAs = async ({ answer }: ProviderOutcome): Promise<string | undefined> => {
    const state = await gcp.state();
    const login = Object.values(answer?.auth ?? {})[0];
    if (login === undefined || !mayPull(login, state, Date.now())) return undefined;
    return state.accessTokens[login.password]?.member;
  };

  for (const host of [
    'gcr.io',
    'eu.gcr.io',
    'gke.gcr.io',
    'us-west1-docker.pkg.dev',
    'docker.europe-west4.rep.pkg.dev',
  ]) {
    await t.test(`${host}, with no setting at all: one request, to the metadata server`, async (t) => {
      const outcome = await ask(namespace, { image: `${host}/project/app` });
      t.match(outcome.answer, { cacheKeyType: 'Registry', cacheDuration: /^(?:29m5\d|30m0)/ });
      t.match(outcome.answer?.auth[host], { username: 'oauth2accesstoken' });
      t.equal(await pullsAs(outcome), `serviceAccount:${nodeAccount}`);
      t.strictSame(await asked(), [fromMetadata]);
    });
  }

  await t.test('a look-alike host gets nothing, without a call', async (t) => {
    for (const lookAlike of lookAlikeHosts.filter((_host, index) => index % 5 === 0)) {
      t.match((await ask(namespace, { image: lookAlike })).answer, { cacheDuration: '0s', auth: {} }, lookAlike);
    }
    t.strictSame(await asked(), []);
  });

  await t.test('a pod, by the audience of its token', async (t) => {
    const outcome = await ask(namespace, { image, token: podToken({}) });
    t.match(await pullsAs(outcome), /^principal:\/\/.*default:puller$/);
    t.strictSame(await asked(), [fromSts]);
  });

  await t.test('a pod of a GKE cluster', async (t) => {
    const outcome = await ask(namespace, { image, token: podToken({ aud: [clusterPool], iss: clusterIssuer }) });
    t.match(await pullsAs(outcome), /svc\.id\.goog\/subject\/.*default:puller$/);
  });

  await t.test('a pod whose service account names an account to impersonate', async (t) => {
    const annotations = { 'iam.gke.io/gcp-service-account': podAccount };
    const outcome = await ask(namespace, { image, token: podToken({}), annotations });
    t.equal(await pullsAs(outcome), `serviceAccount:${podAccount}`);
    t.strictSame(await asked(), [fromSts, fromIam]);
  });

  const refusals: ReadonlyArray<readonly [name: string, question: object, says: RegExp, asked: number]> = [
    [
      'for an audience that is not Google’s',
      { token: podToken({ aud: ['vault'] }) },
      /no workload identity pool.*hint: let serviceAccountTokenAudience be/,
      0,
    ],
    [
      'that has expired',
      { token: podToken({ exp: 1_700_000_000 }) },
      /refuses the token of service account default\/puller for its time; hint/,
      1,
    ],
    [
      'of another key',
      { token: podToken({}, createTokenSigner('RS256')) },
      /does not accept the token of service account default\/puller/,
      1,
    ],
    [
      'for an unknown provider',
      { token: podToken({ aud: [`//iam.googleapis.com/${providerName}x`] }) },
      /knows no such workload identity pool or provider/,
      1,
    ],
    [
      'that may not impersonate the account',
      { token: podToken({}), annotations: { 'iam.gke.io/gcp-service-account': deniedAccount } },
      /denied iam\.serviceAccounts\.getAccessToken to the principal of service account default\/puller; hint: grant roles\/iam/,
      2,
    ],
    [
      'with an invalid account address',
      { token: podToken({}), annotations: { 'iam.gke.io/gcp-service-account': 'x' } },
      /not the e-mail address of a service account/,
      0,
    ],
  ];
  for (const [name, question, says, count] of refusals) {
    await t.test(`a pod with a token ${name} gets nothing, and never the node's login`, async (t) => {
      const { code, stderr } = await ask(namespace, { image, ...question });
      t.equal(code, 1);
      t.match(stderr, says);
      t.equal((await asked()).length, count);
    });
  }

  await t.test(
    'artifact-registry × credentials file: a key, a token of elsewhere, and an account to become',
    async (t) => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const account = (await gcp.state()).serviceAccounts[nodeAccount];
      if (account === undefined) throw new Error('the lab has changed');
      await gcp.update({
        serviceAccounts: { [nodeAccount]: { ...account, keys: [publicKey.export({ format: 'jwk' })] } },
      });
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const key = { type: 'service_account', client_email: nodeAccount, private_key: pem };
      const external = {
        type: 'external_account',
        audience: `//iam.googleapis.com/${providerName}`,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        credential_source: { file: await file('token', podToken({})) },
      };
      const impersonated = {
        type: 'impersonated_service_account',
        service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${podAccount}:generateAccessToken`,
        source_credentials: key,
      };
      // Variables of Google's library, for debug output and for a proxy: neither may have an effect.
      const odd = { GOOGLE_SDK_NODE_LOGGING: '*', GCLOUD_PROJECT: '', PATH: '/nowhere' };
      const askWith = async (name: string, content: unknown): Promise<string | undefined> => {
        const env = { ...odd, GOOGLE_APPLICATION_CREDENTIALS: await file(name, content) };
        return pullsAs(await ask(namespace, { image, env }));
      };
      t.equal(await askWith('key.json', key), `serviceAccount:${nodeAccount}`);
      t.match(await askWith('external.json', external), /^principal:/);
      t.equal(await askWith('impersonated.json', impersonated), `serviceAccount:${podAccount}`);
      t.strictSame(await asked(), [
        'POST oauth2.googleapis.com /token',
        fromSts,
        'POST oauth2.googleapis.com /token',
        fromIam,
      ]);
    },
  );

  await t.test('artifact-registry × one of several accounts: by the configuration', async (t) => {
    const registries = [{ match: 'us-west1-docker.pkg.dev', nodeIdentity: podAccount }];
    const args = ['--config', await file('config.yaml', { registries })];
    t.equal(await pullsAs(await ask(namespace, { image, args })), `serviceAccount:${podAccount}`);
  });

  await t.test('the metadata server is asked without a proxy', async (t) => {
    const env = { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' };
    t.equal((await ask(namespace, { image, env })).code, 0);
  });

  await t.test('it is down, it throttles, it redirects', async (t) => {
    await gcp.addFault({ service: 'metadata', kind: 'refuse' });
    t.match(
      (await ask(namespace, { image })).stderr,
      /the metadata server at \S+: the connection was refused.*GOOGLE_APPLICATION_CREDENTIALS/,
    );
    await gcp.clearFaults();
    await gcp.addFault({ service: 'metadata', kind: 'throttle', retryAfterS: 1, count: 1 });
    t.equal((await ask(namespace, { image })).code, 0);
    await gcp.addFault({ service: 'metadata', kind: 'redirect', status: 307, location: 'https://sts.googleapis.com/' });
    t.match((await ask(namespace, { image })).stderr, /not Google's metadata server/);
    t.notOk((await asked()).some((request) => request.includes('sts.')));
  });

  await t.test('an expired token, and one without an expiry, are not cached', async (t) => {
    for (const kind of ['expired', 'no-expiry'] as const) {
      await gcp.addFault({ service: 'metadata', kind, count: 1 });
      t.equal((await ask(namespace, { image })).answer?.cacheDuration, '0s', kind);
    }
  });

  /** As the API server issues it for a pod with the service account `default/puller`. */
  function podToken(claims: Readonly<Record<string, unknown>>, by = signer): string {
    const nowS = Math.floor(Date.now() / 1000);
    const usual = { iss: labIssuer, aud: [`https://iam.googleapis.com/${providerName}`], sub: pullerSubject };
    return by.sign({ ...usual, iat: nowS, exp: nowS + 3600, jti: secretMarker, ...claims });
  }
});

await t.test('a node that has only IPv6', requires(await namespaceSupport()), async (t) => {
  const sites = [gcpSite('googleapis.com')];
  const network = await createCloudNetwork({ sites, machineOf: 'gcp', ipVersions: [6] });
  t.teardown(() => network.stop());
  t.equal((await ask(network.namespace, { image })).code, 0);
  t.match(await network.clouds.gcp.requests(), [{ host: '[fd20:ce::254]', status: 200 }]);
});
