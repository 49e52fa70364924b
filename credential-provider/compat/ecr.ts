import type { Environment } from '../../lib/environment.ts';
import { Failure } from '../../lib/failure.ts';
import type { AvailableClouds, ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import { nodeIdentity, defaultBehavior, podIdentity } from '../../lib/registry-login/provider-behavior.ts';
import type { ProviderBehavior } from '../../lib/registry-login/provider-behavior.ts';
import type { ParsedRequest } from '../../lib/registry-login/parse-request.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import type { Config } from '../../schemas/config.ts';
import type { EmulatedProvider } from './emulated-provider.ts';
import { resolveByTarget, resolveInCloud, isMirror } from './resolve-in-cloud.ts';

/** https://github.com/kubernetes/cloud-provider-aws/tree/master/cmd/ecr-credential-provider */
export const ecr: EmulatedProvider = {
  name: 'ecr-credential-provider',
  summary: 'Log in to ECR and ECR Public with the identity of the node, or as the pod whose token is in the request.',
  valueFlags: [],
  shortFlags: {},
  // Operands such as get-credentials are ignored, as in the upstream provider.
  createMode: (_args, { env }) => {
    const behavior = createBehavior(env['AWS_ECR_ROLE_ARN'] || undefined);
    return Promise.resolve({ env: withOlderVariable(env), behavior, overrideConfig: (config: Config) => config });
  },
};

/** AWS_DEFAULT_PROFILE, which only the AWS SDK for Go reads, and only without AWS_PROFILE. */
function withOlderVariable(env: Environment): Environment {
  const profile = env['AWS_PROFILE'] || env['AWS_DEFAULT_PROFILE'];
  return profile ? { ...env, AWS_PROFILE: profile } : env;
}

/** A pod without a role annotation uses the role of the environment, else the node's identity. */
function createBehavior(roleArn: string | undefined): ProviderBehavior {
  return {
    ...defaultBehavior,
    resolveRegistry: async (image, config, available) =>
      (await resolveInCloud('aws', image, config, available)) ?? resolveMirror(image, config, available),
    identityFor: (request, resolved) => {
      const pod = podIdentity(request);
      if (pod === undefined || resolved.cloud !== 'aws') return pod ?? nodeIdentity(resolved);
      const role = roleOf(request) ?? roleArn;
      return role ? { ...pod, role: { [ownKey]: role } } : nodeIdentity(resolved);
    },
  };
}

const ownKey = 'eks.amazonaws.com/ecr-role-arn';
const roleKeys = [ownKey, 'eks.amazonaws.com/role-arn'];

/** Empty: the service account sets no role, and the one of the environment does not apply. */
function roleOf({ annotations }: ParsedRequest): string | undefined {
  return roleKeys.map((key) => annotations[key]).find((value) => value !== undefined);
}

async function resolveMirror(
  image: ImageReference,
  config: Config,
  available: AvailableClouds,
): Promise<ResolvedRegistry | undefined> {
  if (!(await isMirror(image, config, available))) return undefined;
  const region = await regionOf(available.runtime);
  if (region === undefined) throw noRegion(image);
  return resolveByTarget(registryIn(region), image, config, available);
}

/** The region of the environment, else that of the profile. `undefined`: neither names one. */
async function regionOf({ env, host }: AvailableClouds['runtime']): Promise<string | undefined> {
  const named = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  if (named) return named;
  const { loadSharedConfigFiles } = await import('@smithy/core/config');
  const { configFile } = await loadSharedConfigFiles({
    configFilepath: env['AWS_CONFIG_FILE'] || `${host.homeDirectory}/.aws/config`,
    filepath: env['AWS_SHARED_CREDENTIALS_FILE'] || `${host.homeDirectory}/.aws/credentials`,
    ignoreCache: true,
  });
  const profile = env['AWS_PROFILE'] || 'default';
  return configFile[profile]?.['region'] || undefined;
}

/** By prefix of the region, the suffix of the registry hosts of its partition. */
const suffixes: Readonly<Record<string, string>> = {
  'cn-': 'amazonaws.com.cn',
  'eusc-': 'amazonaws.eu',
  'us-iso-': 'c2s.ic.gov',
  'us-isob-': 'sc2s.sgov.gov',
  'eu-isoe-': 'cloud.adc-e.uk',
  'us-isof-': 'csp.hci.ic.gov',
};

/** A login is valid for the registries of all accounts, so any account id will do. */
function registryIn(region: string): string {
  const [, suffix = 'amazonaws.com'] = Object.entries(suffixes).find(([start]) => region.startsWith(start)) ?? [];
  return `000000000000.dkr.ecr.${region}.${suffix}`;
}

function noRegion({ host }: ImageReference): Failure {
  return new Failure('misconfigured', `${host} is not a host of ECR, and no region is set for it`, {
    remedy: 'set AWS_REGION in the provider entry, or give the host an entry below `registries` of the configuration',
  });
}
