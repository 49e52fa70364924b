import { quote } from '../../lib/command-line/command-line.ts';
import { Failure } from '../../lib/failure.ts';
import { nodeIdentity, podIdentity } from '../../lib/registry-login/provider-behavior.ts';
import type { ProviderBehavior } from '../../lib/registry-login/provider-behavior.ts';
import type { ImageRegistry, Login } from '../../clouds/index.ts';
import type { ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { RegistryEntry } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { readAzureFile } from './azure-file.ts';
import type { AzureFile } from './azure-file.ts';
import type { EmulatedProvider } from './emulated-provider.ts';
import { resolveInCloud } from './resolve-in-cloud.ts';

const identityBindings = ['ib-sni-name', 'ib-default-client-id', 'ib-default-tenant-id', 'ib-apiserver-ip'];

/** https://github.com/kubernetes-sigs/cloud-provider-azure/tree/master/cmd/acr-credential-provider */
export const acr: EmulatedProvider = {
  name: 'acr-credential-provider',
  summary:
    'Log in to Azure Container Registry with the identity in azure.json, or as the pod whose token is in the request.',
  valueFlags: ['registry-mirror', ...identityBindings],
  shortFlags: { 'registry-mirror': 'r' },
  createMode: async ({ positionals, flags }, runtime) => {
    const [path, ...others] = positionals;
    if (path === undefined) throw misused('called without an argument', 'pass the path of azure.json');
    if (others[0] !== undefined) {
      throw misused(`called with the unknown argument ${quote(others[0])}`, 'pass only the path of azure.json');
    }
    if (identityBindings.some((flag) => flag in flags)) {
      throw misused(
        'called with identity bindings, which are not supported',
        'remove --ib-…, and set the token audience of the entry for pods to api://AzureADTokenExchange',
      );
    }
    const file = await readAzureFile(path, runtime);
    const mirrors = mirrorsIn(flags['registry-mirror'] ?? '');
    return {
      env: environmentFor(file, runtime.env),
      behavior: createBehavior(file, new Set(mirrors.map(({ match }) => match))),
      overrideConfig: (config) => ({ ...config, registries: [...config.registries, ...mirrors] }),
    };
  },
};

function misused(what: string, remedy: string): Failure {
  return new Failure('misconfigured', what, { remedy });
}

/** Only azure.json selects the identity, as in the upstream provider. */
function environmentFor({ tenantId, managedIdentity }: AzureFile, env: Readonly<Record<string, string | undefined>>) {
  const {
    AZURE_CLIENT_ID: _id,
    AZURE_CLIENT_SECRET: _secret,
    AZURE_CLIENT_CERTIFICATE_PATH: _path,
    AZURE_FEDERATED_TOKEN_FILE: _file,
    ...others
  } = env;
  return {
    ...others,
    ...(tenantId !== undefined && { AZURE_TENANT_ID: tenantId }),
    ...(managedIdentity !== undefined && { AZURE_CLIENT_ID: managedIdentity }),
  };
}

const pairPattern = /^(?<source>[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w./-]*)?):(?<target>[a-z0-9.-]+(?:\/[\w./-]*)?)$/;

/** `source:target,…`; only the source can have a port. */
function mirrorsIn(text: string): readonly RegistryEntry[] {
  const pairs = text
    .replaceAll(' ', '')
    .split(',')
    .filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const { source, target } = pairPattern.exec(pair)?.groups ?? {};
    if (source !== undefined && target !== undefined) return { match: source, as: target };
    throw misused('--registry-mirror cannot be read', 'write SOURCE:TARGET[,SOURCE:TARGET]');
  });
}

function createBehavior({ principal }: AzureFile, mirrors: ReadonlySet<string>): ProviderBehavior {
  return {
    resolveRegistry: async (image, config, available) => {
      const resolved = await resolveInCloud('azure', image, config, available);
      if (principal === undefined || resolved?.cloud !== 'azure') return resolved;
      return withServicePrincipal(resolved, principal);
    },
    // Mirrored images are pulled as the node, also for pods with a token.
    identityFor: (request, resolved) =>
      (mirrors.has(resolved.authKey) ? undefined : podIdentity(request)) ?? nodeIdentity(resolved),
    formatResponse,
  };
}

/** For the node, the service principal's id and secret are the login; pods log in by their tokens as before. */
function withServicePrincipal(
  resolved: ResolvedRegistry,
  { clientId, secret }: NonNullable<AzureFile['principal']>,
): ResolvedRegistry {
  const stored: Login = { username: clientId, password: secret, endsWithToken: false };
  const service: ImageRegistry = {
    match: resolved.service.match,
    logIn: async (registry, identity, context) =>
      identity.kind === 'node' ? stored : resolved.service.logIn(registry, identity, context),
  };
  return { ...resolved, service, node: { ...resolved.node, federation: undefined } };
}

/** Both names of a mirror, and, tried last, an anonymous login for registries that allow it. */
function formatResponse(response: CredentialProviderResponse, resolved: ResolvedRegistry): CredentialProviderResponse {
  const login = response.auth[resolved.authKey];
  if (resolved.cloud !== 'azure' || login === undefined) return response;
  const anonymous = { username: '', password: '' };
  return { ...response, auth: { ...response.auth, [resolved.registry.authKey]: login, '*.azurecr.*': anonymous } };
}
