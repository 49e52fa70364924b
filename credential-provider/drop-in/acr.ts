import { quote } from '../../lib/command-line.ts';
import type { Found } from '../../lib/image-login/find-registry.ts';
import { Failure } from '../../lib/failure.ts';
import { nodeIdentity, podIdentity } from '../../lib/image-login/manner.ts';
import type { Manner } from '../../lib/image-login/manner.ts';
import type { Request } from '../../lib/image-login/parse-request.ts';
import type { Identity } from '../../lib/image-login/registry.ts';
import type { RegistryEntry } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { readAzureFile } from './azure-file.ts';
import type { AzureFile } from './azure-file.ts';
import type { DropIn } from './drop-in.ts';
import { findOwn } from './find-own.ts';

const identityBindings = ['ib-sni-name', 'ib-default-client-id', 'ib-default-tenant-id', 'ib-apiserver-ip'];

/** https://github.com/kubernetes-sigs/cloud-provider-azure/tree/master/cmd/acr-credential-provider */
export const acr: DropIn = {
  name: 'acr-credential-provider',
  summary:
    'Log in to Azure Container Registry with the identity that azure.json names, or of the pod whose token comes with the request.',
  valueFlags: ['registry-mirror', ...identityBindings],
  shortFlags: { 'registry-mirror': 'r' },
  read: async ({ words, flags }, surroundings) => {
    const [path, ...others] = words;
    if (path === undefined) throw misused('called without its one argument', 'give it the path of azure.json');
    if (others[0] !== undefined) {
      throw misused(`called with the unknown argument ${quote(others[0])}`, 'give it only the path of azure.json');
    }
    if (identityBindings.some((flag) => flag in flags)) {
      throw misused(
        'called with identity bindings, which are not served here',
        'take away --ib-…, and let the entry of the pods carry a token for api://AzureADTokenExchange',
      );
    }
    const file = await readAzureFile(path, surroundings);
    const mirrors = mirrorsIn(flags['registry-mirror'] ?? '');
    return {
      env: environmentFor(file, surroundings.env),
      manner: mannerWith(file, new Set(mirrors.map(({ match }) => match))),
      adapt: (config) => ({ ...config, registries: [...config.registries, ...mirrors] }),
    };
  },
};

function misused(what: string, remedy: string): Failure {
  return new Failure('misconfigured', what, { remedy });
}

/** azure.json decides alone, as it does there. */
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

/** `source:target,…`; the target is the registry, so a port can only be the source's. */
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

function mannerWith({ principal }: AzureFile, mirrors: ReadonlySet<string>): Manner {
  // What is mirrored is pulled as the node, whoever the pod is.
  const podOf = (request: Request, found: Found): Identity | undefined =>
    mirrors.has(found.authKey) ? undefined : podIdentity(request);
  return {
    find: (image, catalogue) => findOwn('azure', image, catalogue),
    serve: (found, request) => {
      if (principal === undefined || found.cloud !== 'azure' || podOf(request, found) !== undefined) return found;
      const login = { username: principal.clientId, password: principal.secret, endsWithToken: false };
      return { ...found, service: { match: found.service.match, logIn: () => Promise.resolve(login) } };
    },
    identify: (request, found) => podOf(request, found) ?? nodeIdentity(found),
    dress,
  };
}

/** Both names of what is mirrored, and, tried last, no login at all for registries that let everybody in. */
function dress(answer: CredentialProviderResponse, found: Found): CredentialProviderResponse {
  const login = answer.auth[found.authKey];
  if (found.cloud !== 'azure' || login === undefined) return answer;
  const nobody = { username: '', password: '' };
  return { ...answer, auth: { ...answer.auth, [found.registry.authKey]: login, '*.azurecr.*': nobody } };
}
