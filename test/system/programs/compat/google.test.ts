import t from 'tap';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { mayPull } from '../../../lab/clouds/gcp/registry.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import { clusterIssuer, clusterPool, nodeAccount } from '../../../lab/clouds/gcp/state.ts';
import { secretMarker } from '../../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { requires } from '../../../lab/requires.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { requestBytes } from '../provider.ts';
import type { ProviderCall } from '../provider.ts';
import { linkProvider } from './linked-provider.ts';
import { callProgram, isGoodFailure } from './side-by-side.ts';
import type { PeerResult, CloudRecorder } from './side-by-side.ts';

const name = 'auth-provider-gcp';
const image = 'us-west1-docker.pkg.dev/project/repository/app';
const usual = ['get-credentials'];
const pool = ['--identity-provider', clusterIssuer, '--project-id', 'lab-project'];
const imagePullAnnotation = { 'iam.gke.io/enable-wi-image-pull': 'true' };
const googlesKeys = ['container.cloud.google.com', 'gcr.io', '*.gcr.io', '*.pkg.dev'];

await t.test(
  'emulation of auth-provider-gcp, which cannot be built here',
  requires(await namespaceSupport()),
  async (t) => {
    const network = await createCloudNetwork({ sites: [gcpSite('googleapis.com')], machineOf: 'gcp', ipVersions: [4] });
    t.teardown(network.stop);
    const { gcp } = network.clouds;
    const links = linkProvider(t, [name]);
    const signer = createTokenSigner('RS256');
    const token = signer.sign({
      iss: clusterIssuer,
      aud: [clusterPool],
      sub: 'system:serviceaccount:default:puller',
      exp: Math.floor(Date.now() / 1000) + 3_600,
      jti: secretMarker,
    });
    const witness: CloudRecorder = {
      reset: async () => {
        await gcp.reset();
        const { providers } = await gcp.state();
        const trusting = Object.entries(providers).map(([key, each]) => [key, { ...each, keys: [signer.publicKey] }]);
        await gcp.update({ providers: Object.fromEntries(trusting) as typeof providers });
      },
      asked: async () =>
        (await gcp.requests()).map(({ host, path }) => `${host}${path.replace('/computeMetadata/v1', '')}`),
      lastLoginBy: async () => undefined,
    };
    const fromMetadata = '169.254.169.254/instance/service-accounts/default/token';
    const fromSts = 'sts.googleapis.com/v1/token';

    async function call({
      args = usual,
      env = {},
      ...request
    }: ProviderCall & { prepare?: () => Promise<void> }): Promise<PeerResult> {
      const { prepare, ...question } = request;
      const prepared = { ...witness, reset: async () => witness.reset().then(prepare) };
      const fixture = { namespace: network.namespace, recorder: prepared };
      return callProgram(links.path(name), { args, env, input: requestBytes(question) }, fixture);
    }
    /** The owner of the login, if all keys have the same one. */
    async function memberOf({ answer }: PeerResult): Promise<string | undefined> {
      const logins = Object.values(answer?.auth ?? {});
      const [login] = logins;
      const state = await gcp.state();
      if (login === undefined || !logins.every(({ password }) => password === login.password)) return undefined;
      return mayPull(login, state, Date.now()) ? state.accessTokens[login.password]?.member : undefined;
    }
    const node = `serviceAccount:${nodeAccount}`;

    await t.test('the node: the user name and all keys, from one request', async (t) => {
      const ending = await call({ image });
      t.strictSame(Object.keys(ending.answer?.auth ?? {}), ['us-west1-docker.pkg.dev', ...googlesKeys]);
      t.ok(Object.values(ending.answer?.auth ?? {}).every(({ username }) => username === '_token'));
      t.equal(await memberOf(ending), node);
      t.strictSame(ending.asked, [fromMetadata]);
      t.match(ending.answer, { cacheKeyType: 'Registry', cacheDuration: /^(?:29m5\d|30m0)s$/ });
    });

    await t.test('neither a credentials file nor another metadata server is used', async (t) => {
      const env = { GOOGLE_APPLICATION_CREDENTIALS: '/nowhere', GCE_METADATA_HOST: '127.0.0.1:9' };
      t.equal(await memberOf(await call({ image, env })), node);
    });

    await t.test('a mirror also gets the login under its own name', async (t) => {
      const { answer } = await call({ image: 'mirror.example:5000/project/app' });
      t.equal(Object.keys(answer?.auth ?? {})[0], 'mirror.example:5000');
      t.equal((await call({ image: 'gcr.io.evil.example/app' })).asked.length, 0);
    });

    const caches: ReadonlyArray<readonly [env: Record<string, string>, keyType: string, duration: RegExp]> = [
      [{ KUBE_SIDECAR_CACHE_TYPE: 'image' }, 'Image', /^(?:29m|30m)/],
      [{ KUBE_SIDECAR_CACHE_TYPE: 'registry', KUBE_SIDECAR_CACHE_DURATION: '10m' }, 'Registry', /^10m0s$/],
      [{ KUBE_SIDECAR_CACHE_TYPE: 'global', KUBE_SIDECAR_CACHE_DURATION: '0s' }, 'Global', /^0s$/],
      [{ KUBE_SIDECAR_CACHE_TYPE: '', KUBE_SIDECAR_CACHE_DURATION: '8h' }, 'Registry', /^(?:29m|30m)/],
    ];
    for (const [env, cacheKeyType, cacheDuration] of caches) {
      await t.test(`cached as ${JSON.stringify(env)} sets, but never longer than our policy allows`, async (t) => {
        t.match((await call({ image, env })).answer, { cacheKeyType, cacheDuration });
      });
    }

    await t.test('a pod whose service account has the annotation uses its own identity', async (t) => {
      const ending = await call({ image, token, annotations: imagePullAnnotation, args: [...usual, ...pool] });
      t.match(await memberOf(ending), /^principal:\/\/.*default:puller$/);
      t.strictSame(ending.asked, [fromSts]);
    });

    const asNode: ReadonlyArray<readonly [name: string, question: Partial<ProviderCall>]> = [
      ['that does not wish it', { token, annotations: {}, args: [...usual, ...pool] }],
      [
        'with another annotation value',
        { token, annotations: { 'iam.gke.io/enable-wi-image-pull': 'yes' }, args: [...usual, ...pool] },
      ],
      ['without a pool in the arguments', { token, annotations: imagePullAnnotation }],
    ];
    for (const [which, question] of asNode) {
      await t.test(`a pod ${which} uses the node's identity`, async (t) =>
        t.equal(await memberOf(await call({ image, ...question })), node),
      );
    }

    await t.test('requests of older kubelets get responses of the same version', async (t) => {
      t.match((await call({ image, version: 'v1beta1' })).answer, {
        apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1',
      });
    });

    const byAttribute = [...usual, '--authFlow=dockercfg'];
    await t.test('a docker config file in the instance’s metadata', async (t) => {
      const auth = Buffer.from(`robot:${secretMarker}`).toString('base64');
      const content = JSON.stringify({ 'registry.example': { auth } });
      const prepare = async (): Promise<void> =>
        gcp.update({ metadata: { 'instance/attributes/google-dockercfg': content } });
      const listed = await call({ image: 'registry.example/team/app', args: byAttribute, prepare });
      t.match(listed.answer, { auth: { 'registry.example': { username: 'robot' } }, cacheDuration: '0s' });
      t.strictSame(listed.asked, ['169.254.169.254/instance/attributes/google-dockercfg'], 'once');
      const other = await call({ image, args: byAttribute, prepare });
      t.match(other.answer, { auth: {} });
    });

    const bad = { KUBE_SIDECAR_CACHE_DURATION: 'long' };
    const noPod = { token: `${token}x`, annotations: imagePullAnnotation, args: [...usual, ...pool] };
    const failures: ReadonlyArray<readonly [name: string, question: Partial<ProviderCall>, says: RegExp]> = [
      ['without its command', { args: [] }, /without the command get-credentials/],
      [
        'with an unknown argument',
        { args: [...usual, '--project', 'x'] },
        /called with "--project", which auth-provider-gcp does not have/,
      ],
      ['by an unknown flow', { args: [...usual, '--authFlow=magic'] }, /write gcr, dockercfg or dockercfg-url/],
      ['by dockercfg, with no such attribute', { args: byAttribute }, /attribute google-dockercfg .*HTTP 404/],
      ['with a pool of no project', { args: [...usual, ...pool.slice(0, 2)] }, /without --project-id/],
      ['with a duration that is none', { env: bad }, /KUBE_SIDECAR_CACHE_DURATION cannot be read/],
      ['with an unknown type', { env: { KUBE_SIDECAR_CACHE_TYPE: 'pod' } }, /KUBE_SIDECAR_CACHE_TYPE cannot be read/],
      ['with a token that nobody signed: never the node', noPod, /does not accept the token/],
    ];
    for (const [which, question, says] of failures) {
      await t.test(`a failure, not an empty response: ${which}`, async (t) => {
        const ending = await call({ image, ...question });
        t.ok(isGoodFailure(ending), ending.stderr);
        t.match(ending.stderr, says);
      });
    }

    await t.test('no metadata server', async (t) => {
      const ending = await call({ image, prepare: () => gcp.addFault({ service: 'metadata', kind: 'refuse' }) });
      t.ok(isGoodFailure(ending), ending.stderr);
    });

    await t.test('log flags, in the upstream notation', async (t) => {
      const args = ['get-credentials', '--v=3', '--log_dir=/tmp', '--one_output', '--skip_headers=true', '-a', 'gcr'];
      t.equal(await memberOf(await call({ image, args })), node);
    });
  },
);
