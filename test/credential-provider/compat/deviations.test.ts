import t from 'tap';
import { annotatedApplication } from '../../../clouds/azure/identity/application.ts';
import { clouds } from '../../../clouds/index.ts';
import { acr } from '../../../credential-provider/compat/acr.ts';
import { readArguments } from '../../../credential-provider/compat/arguments.ts';
import type { EmulatedProvider, CompatMode } from '../../../credential-provider/compat/emulated-provider.ts';
import { ecr } from '../../../credential-provider/compat/ecr.ts';
import { gcp } from '../../../credential-provider/compat/gcp.ts';
import { runEmulatedProvider } from '../../../credential-provider/compat/run-emulated.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { ResolvedRegistry } from '../../../lib/registry-login/resolve-registry.ts';
import type { CredentialProviderResponse } from '../../../schemas/credential-provider.ts';
import { azureConfig } from '../../clouds/azure/config.ts';
import { fakeHost } from '../../clouds/fake-host.ts';

const host = fakeHost({ '/azure.json': '{"tenantId":"contoso.example","useManagedIdentityExtension":true}' });
const openHttp = () => ({ send: async () => Promise.reject(new Error('no request is expected')) });

function modeOf(
  provider: EmulatedProvider,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CompatMode> {
  return provider.createMode(readArguments(provider, args), { env, host, openHttp });
}

await t.test('ACR: a pod whose service account names no tenant uses the tenant of azure.json', async (t) => {
  const { env } = await modeOf(acr, ['/azure.json'], {});
  const clientId = '11111111-2222-3333-4444-555555555555';
  const annotations = { 'kubernetes.azure.com/acr-client-id': clientId };
  t.strictSame(annotatedApplication(annotations, azureConfig, env), { tenantId: 'contoso.example', clientId });
  const named = { ...annotations, 'kubernetes.azure.com/acr-tenant-id': 'fabrikam.example' };
  t.match(annotatedApplication(named, azureConfig, env), { tenantId: 'fabrikam.example' });
});

const response: CredentialProviderResponse = {
  kind: 'CredentialProviderResponse',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  cacheKeyType: 'Image',
  cacheDuration: '30m0s',
  auth: { 'gcr.io': { username: 'a', password: 'b' } },
};
const registry = { kind: 'gcr', authKey: 'gcr.io', servesWholeHost: true };
const service = { match: () => registry, logIn: async () => Promise.reject(new Error('not asked')) };
const node = { nodeIdentity: undefined, role: undefined, federation: undefined };
const resolved: ResolvedRegistry = { cloud: 'gcp', service, registry, node, authKey: 'gcr.io', servesWholeHost: true };
const keyTypes = { image: 'Image', REGISTRY: 'Registry', Global: 'Global' } as const;
for (const [type, keyType] of Object.entries(keyTypes)) {
  await t.test(`Google: KUBE_SIDECAR_CACHE_TYPE=${type} is accepted`, async (t) => {
    const { behavior: manner } = await modeOf(gcp, ['get-credentials'], { KUBE_SIDECAR_CACHE_TYPE: type });
    t.equal(manner.formatResponse(response, resolved).cacheKeyType, keyType);
  });
}

const args: ReadonlyArray<readonly [provider: EmulatedProvider, args: readonly string[]]> = [
  [ecr, ['get-credentials']],
  [gcp, ['get-credentials']],
  [acr, ['/azure.json']],
];
for (const [provider, given] of args) {
  await t.test(
    `${provider.name}: an image with a control character gets an empty response, without a call`,
    async (t) => {
      const request = {
        kind: response.kind.replace('Response', 'Request'),
        apiVersion: response.apiVersion,
        image: 'team/app\u0001',
      };
      const world = {
        env: { AWS_REGION: 'us-west-2' },
        host,
        clock: systemClock,
        random: Math.random,
        clouds,
        openHttp,
      };
      const output = await runEmulatedProvider(
        provider,
        { args: given, startedAtMs: systemClock.monotonicMs(), readRequest: async () => JSON.stringify(request) },
        { ...world, writeStep: () => {} },
      );
      t.match(output, { exitCode: 0, stderr: '' });
      t.strictSame((JSON.parse(output.stdout) as CredentialProviderResponse).auth, {});
    },
  );
}
