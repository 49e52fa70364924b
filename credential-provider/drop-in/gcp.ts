import { quote } from '../../lib/command-line.ts';
import type { Environment } from '../../lib/environment.ts';
import { Failure } from '../../lib/failure.ts';
import { parseGoDuration, printGoDuration } from '../../lib/go-duration.ts';
import { configuredHttp } from '../../lib/http/configured-http.ts';
import { findRegistry } from '../../lib/image-login/find-registry.ts';
import type { Catalogue, Found } from '../../lib/image-login/find-registry.ts';
import { nodeIdentity, ownManner, podIdentity } from '../../lib/image-login/manner.ts';
import type { Manner } from '../../lib/image-login/manner.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { hostWithInstanceFile, instanceFile } from './docker-config-of-instance.ts';
import type { DockerConfigFlow } from './docker-config-of-instance.ts';
import type { DropIn, Given, Setting, Surroundings } from './drop-in.ts';
import { findAs, findOwn, isMirror, storedLogins } from './find-own.ts';

/** https://github.com/kubernetes/cloud-provider-gcp/tree/master/cmd/auth-provider-gcp */
export const gcp: DropIn = {
  name: 'auth-provider-gcp',
  summary:
    "Log in to Google's registries with the instance's service account, or as the pod whose token comes with the request.",
  valueFlags: ['authFlow', 'identity-provider', 'project-id'],
  shortFlags: { authFlow: 'a' },
  read: (given, surroundings) => settingFor(given, surroundings),
};

async function settingFor(given: Given, surroundings: Surroundings): Promise<Setting> {
  const { env } = surroundings;
  const flow = flowIn(given);
  if (flow !== 'gcr') return dockerConfigSetting(flow, surroundings);
  const { GOOGLE_APPLICATION_CREDENTIALS: _file, GCE_METADATA_HOST: _host, ...others } = env;
  return { env: others, manner: mannerWith(poolIn(given), cacheIn(env)), adapt };
}

const providerKey = 'cloud.google.com/workload-identity-provider';

function adapt(config: Config): Config {
  return { ...config, gcp: { ...config.gcp, providerAnnotations: [providerKey] } };
}

/** Whoever the pod is: these logins are the node's, and no token is asked for. */
async function dockerConfigSetting(flow: DockerConfigFlow, surroundings: Surroundings): Promise<Setting> {
  const http = await configuredHttp(undefined, surroundings);
  return {
    env: surroundings.env,
    host: hostWithInstanceFile(flow, surroundings.host, http),
    manner: { ...ownManner, find: findStored, identify: (_request, found) => nodeIdentity(found) },
    adapt: (config) => ({ ...config, registries: [], dockerConfigFiles: [instanceFile] }),
  };
}

function findStored(image: ImageReference, catalogue: Catalogue): Promise<Found | undefined> {
  return findRegistry(image, { ...catalogue, clouds: catalogue.clouds.filter(({ name }) => name === storedLogins) });
}

function flowIn({ words, flags }: Given): 'gcr' | DockerConfigFlow {
  const [command, unknown] = words;
  if (command === undefined) throw misused('called without the command get-credentials', 'give it that argument');
  const stray = command === 'get-credentials' ? unknown : command;
  if (stray !== undefined) {
    throw misused(`called with the unknown argument ${quote(stray)}`, 'call it with get-credentials and flags only');
  }
  const flow = flags['authFlow'] ?? 'gcr';
  if (flow === 'gcr' || flow === 'dockercfg' || flow === 'dockercfg-url') return flow;
  throw misused(`--authFlow is ${quote(flow)}, which there is not`, 'write gcr, dockercfg or dockercfg-url');
}

function misused(what: string, remedy: string): Failure {
  return new Failure('misconfigured', what, { remedy });
}

/** The audience of the cluster's own pool. */
function poolIn({ flags }: Given): string | undefined {
  const provider = flags['identity-provider'];
  const project = flags['project-id'];
  if (!provider) return undefined;
  if (!project) throw misused('--identity-provider comes without --project-id', 'give it the project of the pool');
  return `identitynamespace:${project}.svc.id.goog:${provider}`;
}

interface Cache {
  readonly keyType?: CredentialProviderResponse['cacheKeyType'];
  readonly longestMs?: number;
}

const keyTypes: Readonly<Record<string, CredentialProviderResponse['cacheKeyType']>> = {
  image: 'Image',
  registry: 'Registry',
  global: 'Global',
};

function cacheIn(env: Environment): Cache {
  const type = env['KUBE_SIDECAR_CACHE_TYPE'];
  const duration = env['KUBE_SIDECAR_CACHE_DURATION'];
  return { ...(type && { keyType: keyTypeIn(type) }), ...(duration && { longestMs: durationIn(duration) }) };
}

function keyTypeIn(type: string): CredentialProviderResponse['cacheKeyType'] {
  const keyType = keyTypes[type.toLowerCase()];
  if (keyType !== undefined) return keyType;
  throw misused('KUBE_SIDECAR_CACHE_TYPE cannot be read', 'write image, registry or global');
}

function durationIn(duration: string): number {
  const durationMs = parseGoDuration(duration);
  if (durationMs !== undefined) return durationMs;
  throw misused('KUBE_SIDECAR_CACHE_DURATION cannot be read', 'write a duration such as 30m');
}

const wishAnnotation = 'iam.gke.io/enable-wi-image-pull';

function mannerWith(pool: string | undefined, cache: Cache): Manner {
  return {
    ...ownManner,
    find: async (image, catalogue) => (await findOwn('gcp', image, catalogue)) ?? (await findMirror(image, catalogue)),
    identify: (request, found) => {
      const pod = podIdentity(request);
      if (found.cloud !== 'gcp') return pod ?? nodeIdentity(found);
      const asPod = pod !== undefined && pool !== undefined && request.annotations[wishAnnotation] === 'true';
      return asPod ? { ...pod, role: { [providerKey]: pool } } : nodeIdentity(found);
    },
    dress: (answer, found) => dress(answer, found, cache),
  };
}

const googlesKeys = ['container.cloud.google.com', 'gcr.io', '*.gcr.io', '*.pkg.dev'];

/** Under the image's own host and, as there, under all of Google's. */
function dress(
  answer: CredentialProviderResponse,
  found: Found,
  { keyType, longestMs }: Cache,
): CredentialProviderResponse {
  const login = answer.auth[found.authKey];
  if (found.cloud !== 'gcp' || login === undefined) return answer;
  const dressed = { ...login, username: '_token' };
  const auth = Object.fromEntries([found.authKey, ...googlesKeys].map((key) => [key, dressed]));
  const usualMs = parseGoDuration(answer.cacheDuration) ?? 0;
  return {
    ...answer,
    cacheKeyType: keyType ?? answer.cacheKeyType,
    cacheDuration: printGoDuration(Math.min(usualMs, longestMs ?? usualMs)),
    auth,
  };
}

/** Long closed, and no mirror either. */
const firstRegistry = 'container.cloud.google.com';

async function findMirror(image: ImageReference, catalogue: Catalogue): Promise<Found | undefined> {
  const isServed = image.host === firstRegistry || (await isMirror(image, catalogue));
  return isServed ? findAs('gcr.io', image, catalogue) : undefined;
}
