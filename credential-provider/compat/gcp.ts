import { quote } from '../../lib/command-line/command-line.ts';
import type { Environment } from '../../lib/environment.ts';
import { Failure } from '../../lib/failure.ts';
import { parseGoDuration, printGoDuration } from '../../lib/go-duration.ts';
import { configuredHttp } from '../../lib/http/configured-http.ts';
import { resolveRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { AvailableClouds, ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import { nodeIdentity, defaultBehavior, podIdentity } from '../../lib/registry-login/provider-behavior.ts';
import type { ProviderBehavior } from '../../lib/registry-login/provider-behavior.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { hostWithInstanceFile, instanceFile } from './instance-docker-config.ts';
import type { DockerConfigFlow } from './instance-docker-config.ts';
import type { EmulatedProvider, ParsedArgs, CompatMode, CompatRuntime } from './emulated-provider.ts';
import { resolveByTarget, resolveInCloud, isMirror, staticCloud } from './resolve-in-cloud.ts';

/** https://github.com/kubernetes/cloud-provider-gcp/tree/master/cmd/auth-provider-gcp */
export const gcp: EmulatedProvider = {
  name: 'auth-provider-gcp',
  summary:
    "Log in to Google's registries with the instance's service account, or as the pod whose token is in the request.",
  valueFlags: ['authFlow', 'identity-provider', 'project-id'],
  shortFlags: { authFlow: 'a' },
  createMode: (args, runtime) => modeFor(args, runtime),
};

async function modeFor(args: ParsedArgs, runtime: CompatRuntime): Promise<CompatMode> {
  const { env } = runtime;
  const flow = flowIn(args);
  if (flow !== 'gcr') return dockerConfigMode(flow, runtime);
  const { GOOGLE_APPLICATION_CREDENTIALS: _file, GCE_METADATA_HOST: _host, ...others } = env;
  return { env: others, behavior: createBehavior(poolIn(args), cacheIn(env)), overrideConfig };
}

const providerKey = 'cloud.google.com/workload-identity-provider';

function overrideConfig(config: Config): Config {
  return { ...config, gcp: { ...config.gcp, providerAnnotations: [providerKey] } };
}

/** These logins are the node's, also for pods, and no token is requested. */
async function dockerConfigMode(flow: DockerConfigFlow, runtime: CompatRuntime): Promise<CompatMode> {
  const http = await configuredHttp(undefined, runtime);
  return {
    env: runtime.env,
    host: hostWithInstanceFile(flow, runtime.host, http),
    behavior: {
      ...defaultBehavior,
      resolveRegistry: resolveStored,
      identityFor: (_request, resolved) => nodeIdentity(resolved),
    },
    overrideConfig: (config) => ({ ...config, registries: [], dockerConfigFiles: [instanceFile] }),
  };
}

function resolveStored(
  image: ImageReference,
  config: Config,
  available: AvailableClouds,
): Promise<ResolvedRegistry | undefined> {
  const clouds = available.clouds.filter(({ name }) => name === staticCloud);
  return resolveRegistry(image, config, { ...available, clouds });
}

function flowIn({ positionals, flags }: ParsedArgs): 'gcr' | DockerConfigFlow {
  const [command, unknown] = positionals;
  if (command === undefined) throw misused('called without the command get-credentials', 'add that argument');
  const stray = command === 'get-credentials' ? unknown : command;
  if (stray !== undefined) {
    throw misused(`called with the unknown argument ${quote(stray)}`, 'call it with get-credentials and flags only');
  }
  const flow = flags['authFlow'] ?? 'gcr';
  if (flow === 'gcr' || flow === 'dockercfg' || flow === 'dockercfg-url') return flow;
  throw misused(`--authFlow is ${quote(flow)}, which is unknown`, 'write gcr, dockercfg or dockercfg-url');
}

function misused(what: string, remedy: string): Failure {
  return new Failure('misconfigured', what, { remedy });
}

/** The audience of the cluster's workload identity pool. */
function poolIn({ flags }: ParsedArgs): string | undefined {
  const provider = flags['identity-provider'];
  const project = flags['project-id'];
  if (!provider) return undefined;
  if (!project) {
    throw misused(
      'called with --identity-provider but without --project-id',
      'set --project-id to the project of the pool',
    );
  }
  return `identitynamespace:${project}.svc.id.goog:${provider}`;
}

interface CachePolicy {
  readonly keyType?: CredentialProviderResponse['cacheKeyType'];
  readonly longestMs?: number;
}

const keyTypes: Readonly<Record<string, CredentialProviderResponse['cacheKeyType']>> = {
  image: 'Image',
  registry: 'Registry',
  global: 'Global',
};

function cacheIn(env: Environment): CachePolicy {
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

const imagePullAnnotation = 'iam.gke.io/enable-wi-image-pull';

function createBehavior(pool: string | undefined, cache: CachePolicy): ProviderBehavior {
  return {
    ...defaultBehavior,
    resolveRegistry: async (image, config, available) =>
      (await resolveInCloud('gcp', image, config, available)) ?? (await resolveMirror(image, config, available)),
    identityFor: (request, resolved) => {
      const pod = podIdentity(request);
      if (resolved.cloud !== 'gcp') return pod ?? nodeIdentity(resolved);
      const asPod = pod !== undefined && pool !== undefined && request.annotations[imagePullAnnotation] === 'true';
      return asPod ? { ...pod, role: { [providerKey]: pool } } : nodeIdentity(resolved);
    },
    formatResponse: (response, resolved) => formatResponse(response, resolved, cache),
  };
}

const googleKeys = ['container.cloud.google.com', 'gcr.io', '*.gcr.io', '*.pkg.dev'];

/** Under the image's own host and, as in the upstream provider, under all of Google's. */
function formatResponse(
  response: CredentialProviderResponse,
  resolved: ResolvedRegistry,
  { keyType, longestMs }: CachePolicy,
): CredentialProviderResponse {
  const login = response.auth[resolved.authKey];
  if (resolved.cloud !== 'gcp' || login === undefined) return response;
  const googleLogin = { ...login, username: '_token' };
  const auth = Object.fromEntries([resolved.authKey, ...googleKeys].map((key) => [key, googleLogin]));
  const usualMs = parseGoDuration(response.cacheDuration) ?? 0;
  return {
    ...response,
    cacheKeyType: keyType ?? response.cacheKeyType,
    cacheDuration: printGoDuration(Math.min(usualMs, longestMs ?? usualMs)),
    auth,
  };
}

/** Closed long ago, but still served like a mirror of gcr.io. */
const firstRegistry = 'container.cloud.google.com';

async function resolveMirror(
  image: ImageReference,
  config: Config,
  available: AvailableClouds,
): Promise<ResolvedRegistry | undefined> {
  const isServed = image.host === firstRegistry || (await isMirror(image, config, available));
  return isServed ? resolveByTarget('gcr.io', image, config, available) : undefined;
}
