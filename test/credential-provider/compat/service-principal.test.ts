import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { acr } from '../../../credential-provider/compat/acr.ts';
import { parseImageReference } from '../../../lib/image-reference.ts';
import type { ResolvedRegistry } from '../../../lib/registry-login/resolve-registry.ts';
import { Secret } from '../../../lib/secret.ts';
import type { RegistryEntry } from '../../../schemas/config.ts';
import { defaultConfig } from '../../../schemas/config/defaults.ts';
import { unusedContext } from '../../clouds/contexts.ts';
import { fakeHost } from '../../clouds/fake-host.ts';

const host = fakeHost({ '/azure.json': JSON.stringify({ aadClientId: 'id', aadClientSecret: 'hidden' }) });
const flags = { 'registry-mirror': 'mirror.example:acme.azurecr.io' };
const openHttp = () => ({ send: async () => Promise.reject(new Error('no request is expected')) });
const mode = await acr.createMode({ positionals: ['/azure.json'], flags }, { env: {}, host, openHttp });
const pod = {
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  image: '',
  token: new Secret('token'),
  annotations: {},
} as const;

async function resolve(text: string, registries: readonly RegistryEntry[]): Promise<ResolvedRegistry> {
  const image = parseImageReference(text);
  if (image === undefined) throw new Error(`${text} cannot be parsed`);
  const config = mode.overrideConfig({ ...defaultConfig, registries: [...registries] });
  const resolved = await mode.behavior.resolveRegistry(image, config, { clouds, runtime: { env: {}, host } });
  if (resolved === undefined) throw new Error(`${text} is not served`);
  return resolved;
}

const federation = { from: 'aws', audience: 'api://AzureADTokenExchange' } as const;
const images: readonly (readonly [image: string, registries: readonly RegistryEntry[]])[] = [
  ['acme.azurecr.io/app', []],
  ['mirror.example/app', []],
  ['acme.azurecr.io/app', [{ match: 'acme.azurecr.io', federation }]],
];
for (const [image, registries] of images) {
  const configured = registries.length > 0 ? ', with federation in the configuration' : '';
  await t.test(`the service principal is the node's login for ${image}${configured}`, async (t) => {
    const { service, registry, node } = await resolve(image, registries);
    const login = await service.logIn(registry, { kind: 'node' }, unusedContext);
    t.match(login, { username: 'id', endsWithToken: false, expiresAtMs: undefined });
    t.equal(login.password.reveal(), 'hidden');
    t.equal(node.federation, undefined, 'no token is requested');
  });
}

await t.test('a pod logs in with its token, but pulls from a mirror as the node', async (t) => {
  t.equal(mode.behavior.identityFor(pod, await resolve('acme.azurecr.io/app', [])).kind, 'token');
  t.equal(mode.behavior.identityFor(pod, await resolve('mirror.example/app', [])).kind, 'node');
});

await t.test('a pod never gets the login of the service principal', async (t) => {
  const { service, registry } = await resolve('acme.azurecr.io/app', []);
  await t.rejects(async () => service.logIn(registry, { kind: 'token', token: pod.token, role: {} }, unusedContext));
});
