import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createAzureNetwork } from '../../lab/azure-network.ts';
import type { AzureNetwork } from '../../lab/azure-network.ts';
import {
  exchangeAudience,
  labApplication,
  labIssuer,
  labSecret,
  labTenant,
  objectIdOf,
  otherTenant,
  partnerApplication,
  podIdentity,
  podSubject,
  systemIdentity,
  userIdentity,
} from '../../lab/clouds/azure/state.ts';
import { secretMarker } from '../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../lab/clouds/token-signer.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask } from './provider.ts';

const image = 'acme.azurecr.io/team/app:1';
const regional = 'acme.westeurope.geo.azurecr.io';
const custom = 'acme.azurecr.lab.example';
const hosts = [
  'acme.azurecr.io',
  'acme-a1b2c3d4e5f6a7b8.azurecr.io',
  'acme.azurecr.us',
  'acme.azurecr.cn',
  'acme.azurecr.de',
  regional,
];
const metadataPath = '/metadata/identity/oauth2/token?api-version=2018-02-01';
const audience = encodeURIComponent('https://containerregistry.azure.net');
const annotations = {
  'kubernetes.azure.com/acr-client-id': podIdentity,
  'kubernetes.azure.com/acr-tenant-id': labTenant,
};

await t.test(
  'the executable and Azure, at production names, without configuration',
  requires(await namespaceSupport()),
  async (t) => {
    const network = await createAzureNetwork({
      registries: [regional],
      authorities: ['login.lab.example'],
      ipVersions: [4],
    });
    const directory = await mkdtemp(join(tmpdir(), 'polycloud-azure-'));
    t.teardown(async () => {
      await network.stop();
      await rm(directory, { recursive: true });
    });
    const { namespace, azure } = network;
    const signer = createTokenSigner('RS256');
    t.beforeEach(async () => {
      await azure.reset();
      await azure.update({ issuers: { [labIssuer]: { keys: [signer.publicKey] } } });
    });
    const lastLoginBy = async (): Promise<string | undefined> => (await azure.state()).registryLogins.at(-1)?.objectId;
    const podToken = (claims: object): string => {
      const exp = Math.floor(Date.now() / 1000) + 3600;
      return signer.sign({
        iss: labIssuer,
        aud: [exchangeAudience],
        sub: podSubject,
        exp,
        jti: secretMarker,
        ...claims,
      });
    };

    for (const host of hosts) {
      await t.test(`${host}: the node's managed identity, in three requests`, async (t) => {
        const { answer } = await ask(namespace, { image: `${host}/team/app` });
        t.match(answer, { cacheKeyType: 'Registry', cacheDuration: /^1h(?:29m5\d|30m0)s$/ });
        const [issued] = (await azure.state()).registryLogins;
        t.strictSame(answer?.auth, {
          [host]: { username: '00000000-0000-0000-0000-000000000000', password: issued?.password },
        });
        t.equal(await lastLoginBy(), objectIdOf(systemIdentity));
        t.strictSame(await requestsOf(network), [
          `GET 169.254.169.254 ${metadataPath}&resource=${audience}`,
          `GET ${host} /v2/`,
          `POST ${host} /oauth2/exchange`,
        ]);
        const connections = (await azure.requests()).filter(({ service }) => service === 'registry');
        t.equal(new Set(connections.map(({ connection }) => connection)).size, 1, 'over one connection');
      });
    }

    const identities: ReadonlyArray<readonly [name: string, question: object, is: string, registry?: string]> = [
      ['acr × managed identity by client id', { env: { AZURE_CLIENT_ID: userIdentity } }, userIdentity],
      [
        'acr × client secret',
        { env: { AZURE_CLIENT_ID: labApplication, AZURE_TENANT_ID: labTenant, AZURE_CLIENT_SECRET: labSecret } },
        labApplication,
      ],
      ['acr × pod', { token: podToken({}), annotations }, podIdentity],
      [
        'acr × another tenant',
        {
          token: podToken({}),
          annotations: {
            'kubernetes.azure.com/acr-client-id': partnerApplication,
            'kubernetes.azure.com/acr-tenant-id': otherTenant,
          },
        },
        partnerApplication,
        'partner.azurecr.io',
      ],
    ];
    for (const [name, question, is, registry = 'acme.azurecr.io'] of identities) {
      await t.test(`${name}: ${registry}`, async (t) => {
        t.equal((await ask(namespace, { image: `${registry}/app`, ...question })).code, 0);
        t.equal(await lastLoginBy(), objectIdOf(is));
      });
    }

    await t.test('acr × token file: for an application', async (t) => {
      const file = join(directory, 'token');
      await writeFile(file, podToken({}));
      const env = {
        AZURE_CLIENT_ID: labApplication,
        AZURE_TENANT_ID: labTenant,
        AZURE_FEDERATED_TOKEN_FILE: file,
      };
      t.equal((await ask(namespace, { image, env })).code, 0);
      t.equal(await lastLoginBy(), objectIdOf(labApplication));
    });

    await t.test('the configuration: a custom Azure, a mirror, and an identity', async (t) => {
      const file = join(directory, 'config.yaml');
      const azurePart =
        'azure:\n  registrySuffixes: [azurecr.lab.example]\n  authorityHost: https://login.lab.example\n';
      const mirror = `registries:\n  - match: mirror.example\n    as: acme.azurecr.io\n    nodeIdentity: ${userIdentity}\n`;
      await writeFile(file, `${azurePart}${mirror}`);
      const args = ['--config', file];
      t.equal((await ask(namespace, { image: `${custom}/app`, token: podToken({}), annotations, args })).code, 0);
      t.equal((await requestsOf(network)).filter((request) => request.startsWith('POST login.lab.example')).length, 1);
      const { answer } = await ask(namespace, { image: 'mirror.example/app', args });
      t.strictSame(Object.keys(answer?.auth ?? {}), ['mirror.example']);
      t.equal(await lastLoginBy(), objectIdOf(userIdentity));
    });

    await t.test('the registry is reached through a proxy, the metadata service is not', async (t) => {
      const { stderr } = await ask(namespace, {
        image,
        env: { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' },
      });
      t.match(
        stderr,
        /acme\.azurecr\.io: the proxy http:\/\/127\.0\.0\.1:9 \(HTTPS_PROXY\): the connection was refused/,
      );
      t.match(await requestsOf(network), [/^GET 169\.254\.169\.254 /]);
    });

    const refusals: ReadonlyArray<readonly [name: string, question: object, says: RegExp]> = [
      [
        'a pod without annotations',
        { token: podToken({}) },
        /no annotation names an Azure client id; hint: annotate the service account with kubernetes/,
      ],
      [
        'a pod without a federated credential',
        { token: podToken({ sub: 'system:serviceaccount:default:other' }), annotations },
        /no federated credential matches: .*\(AADSTS700213\); hint: let the federated credential/,
      ],
      [
        'a wrong secret',
        { env: { AZURE_CLIENT_ID: labApplication, AZURE_TENANT_ID: labTenant, AZURE_CLIENT_SECRET: 'LABSECRETwrong' } },
        /the secret is not accepted: .*\(AADSTS7000215\); hint: use the value of a secret/,
      ],
      [
        'an identity that the machine does not have',
        { env: { AZURE_CLIENT_ID: podIdentity } },
        /this machine does not have the managed identity bbbbbbbb-.*; hint: assign the identity/,
      ],
      [
        'a registry of another tenant',
        { image: 'partner.azurecr.io/app' },
        /partner\.azurecr\.io denied the login to this machine's managed identity; hint: give it AcrPull/,
      ],
    ];
    for (const [name, question, says] of refusals) {
      await t.test(`${name}: no login, and one line with a hint`, async (t) => {
        const { code, stderr } = await ask(namespace, { image, ...question });
        t.equal(code, 1);
        t.match(stderr, says);
        t.strictSame((await azure.state()).registryLogins, []);
      });
    }

    await t.test('the SDK prints nothing, even with its own variables', async (t) => {
      const env = {
        AZURE_CLIENT_ID: labApplication,
        AZURE_TENANT_ID: labTenant,
        AZURE_CLIENT_SECRET: labSecret,
        AZURE_LOG_LEVEL: 'verbose',
        DEBUG: '*',
      };
      const { code, stderr } = await ask(namespace, { image, env });
      t.strictSame([code, stderr], [0, '']);
    });

    await t.test('throttled, and then allowed', async (t) => {
      await azure.addFault({ service: 'registry', pathPrefix: '/oauth2', kind: 'throttle', retryAfterS: 1, count: 1 });
      const { code, durationMs } = await ask(namespace, { image });
      t.equal(code, 0);
      t.ok(durationMs >= 1_000);
    });

    await t.test('a registry whose realm is another host: the token is not sent', async (t) => {
      const realm = 'https://partner.azurecr.io/oauth2/token';
      await azure.update({ registries: { 'acme.azurecr.io': { tenantId: labTenant, pullers: [], realm } } });
      const { stderr } = await ask(namespace, { image });
      t.match(stderr, /names another host for its login/);
      t.notOk((await requestsOf(network)).some((request) => request.startsWith('POST')));
    });
  },
);

/** Sorted: two of them run at once. */
async function requestsOf({ azure }: Pick<AzureNetwork, 'azure'>): Promise<readonly string[]> {
  return (await azure.requests()).map(({ method, host, path }) => `${method} ${host} ${path}`).toSorted();
}
