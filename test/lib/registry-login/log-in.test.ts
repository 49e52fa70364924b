import t from 'tap';
import type { Identity, NodeIdentity } from '../../../clouds/cloud.ts';
import { defaultConfig } from '../../../schemas/config/defaults.ts';
import type { ResolvedRegistry, NodeIdentityConfig } from '../../../lib/registry-login/resolve-registry.ts';
import { logIn } from '../../../lib/registry-login/log-in.ts';
import { Secret } from '../../../lib/secret.ts';
import { unusedContext } from '../../clouds/contexts.ts';
import { bareTraits } from '../../clouds/bare-traits.ts';
import { fakeHost } from '../../clouds/fake-host.ts';

const role = { 'azure.workload.identity/client-id': '1f2e' };
const node: Identity = { kind: 'node', select: 'pull', role };

/** What the registry's cloud is asked with, and what the node's cloud was asked for before. */
async function logInWith(as: Identity, login: NodeIdentityConfig, files: Readonly<Record<string, string>>) {
  const asked: Identity[] = [];
  const tokenRequests: (readonly [audience: string, select: string | undefined])[] = [];
  const identity: NodeIdentity = {
    issueToken: async (audience, select) => {
      tokenRequests.push([audience, select]);
      return { token: new Secret('signed by aws'), expiresAtMs: 1 };
    },
  };
  const resolved: ResolvedRegistry = {
    cloud: 'azure',
    service: {
      match: () => undefined,
      logIn: async (_registry, identityAsked) => {
        asked.push(identityAsked);
        return { username: 'user', password: new Secret('word'), endsWithToken: true };
      },
    },
    registry: { kind: 'acr', authKey: 'team.azurecr.io', servesWholeHost: true },
    node: login,
    authKey: 'team.azurecr.io',
    servesWholeHost: true,
  };
  const clouds = [
    { ...bareTraits('aws'), load: async () => ({ name: 'aws', identity }) },
    { ...bareTraits('gcp'), load: async () => ({ name: 'gcp' }) },
  ];
  const configuredClouds = { clouds, runtime: { env: {}, host: fakeHost(files) }, config: defaultConfig };
  await logIn(resolved, as, configuredClouds, unusedContext);
  return { asked, proofs: tokenRequests };
}

function tokenOf(identity: Identity | undefined): string {
  return identity?.kind === 'token' ? identity.token.reveal() : 'none';
}

const audience = 'api://AzureADTokenExchange';

await t.test('without federation the registry’s cloud is asked as the node that it knows', async (t) => {
  const { asked, proofs } = await logInWith(node, {}, {});
  t.strictSame(asked, [node]);
  t.equal(proofs.length, 0);
});

await t.test("across clouds the node's own cloud signs a proof, which then counts as a token", async (t) => {
  const { asked, proofs } = await logInWith(node, { federation: { from: 'aws', audience } }, {});
  t.strictSame(proofs, [[audience, 'pull']]);
  t.equal(tokenOf(asked[0]), 'signed by aws');
  t.match(asked[0], { role });
});

await t.test('a token in a file is a proof as well', async (t) => {
  const federation = { from: 'file', tokenFile: '/run/token' } as const;
  const { asked } = await logInWith(node, { federation }, { '/run/token': 'signed by a cluster\n' });
  t.equal(tokenOf(asked[0]), 'signed by a cluster');
  await t.rejects(logInWith(node, { federation }, {}), { kind: 'misconfigured', message: /no token in \/run\/token/ });
  await t.rejects(logInWith(node, { federation }, { '/run/token': ' \n' }), {
    kind: 'misconfigured',
    message: /no token/,
  });
});

await t.test('a pod is itself, whatever the configuration says of the node', async (t) => {
  const pod: Identity = { kind: 'token', token: new Secret('of the pod'), role: {} };
  const { asked, proofs } = await logInWith(pod, { federation: { from: 'aws', audience }, role }, {});
  t.strictSame(asked, [pod]);
  t.equal(proofs.length, 0);
});

await t.test('a cloud that proves nothing is a mistake, and nobody is asked as somebody else', async (t) => {
  for (const from of ['gcp', 'azure'] as const) {
    await t.rejects(logInWith(node, { federation: { from, audience } }, {}), {
      kind: 'misconfigured',
      message: new RegExp(from),
    });
  }
});
