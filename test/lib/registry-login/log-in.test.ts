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

/** The identities that the registry's cloud got, and the token requests that the node's cloud got before. */
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
  const configured = { clouds, runtime: { env: {}, host: fakeHost(files) }, config: defaultConfig };
  await logIn(resolved, as, configured, unusedContext);
  return { asked, proofs: tokenRequests };
}

function tokenOf(identity: Identity | undefined): string {
  return identity?.kind === 'token' ? identity.token.reveal() : 'none';
}

const audience = 'api://AzureADTokenExchange';

await t.test('without federation the registry’s cloud gets the node’s identity', async (t) => {
  const { asked, proofs } = await logInWith(node, {}, {});
  t.strictSame(asked, [node]);
  t.equal(proofs.length, 0);
});

await t.test("with federation the node's own cloud issues a token, and the registry's cloud gets it", async (t) => {
  const { asked, proofs } = await logInWith(node, { federation: { from: 'aws', audience } }, {});
  t.strictSame(proofs, [[audience, 'pull']]);
  t.equal(tokenOf(asked[0]), 'signed by aws');
  t.match(asked[0], { role });
});

await t.test('federation can use a token from a file', async (t) => {
  const federation = { from: 'file', tokenFile: '/run/token' } as const;
  const { asked } = await logInWith(node, { federation }, { '/run/token': 'signed by a cluster\n' });
  t.equal(tokenOf(asked[0]), 'signed by a cluster');
  await t.rejects(logInWith(node, { federation }, {}), { kind: 'misconfigured', message: /no token in \/run\/token/ });
  await t.rejects(logInWith(node, { federation }, { '/run/token': ' \n' }), {
    kind: 'misconfigured',
    message: /no token/,
  });
});

await t.test('a pod keeps its own identity, whatever is configured for the node', async (t) => {
  const pod: Identity = { kind: 'token', token: new Secret('of the pod'), role: {} };
  const { asked, proofs } = await logInWith(pod, { federation: { from: 'aws', audience }, role }, {});
  t.strictSame(asked, [pod]);
  t.equal(proofs.length, 0);
});

await t.test('a cloud that issues no identity tokens is a failure, and no other identity is used', async (t) => {
  for (const from of ['gcp', 'azure'] as const) {
    await t.rejects(logInWith(node, { federation: { from, audience } }, {}), {
      kind: 'misconfigured',
      message: new RegExp(from),
    });
  }
});
