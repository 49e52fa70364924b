import type { Environment } from '../../lib/environment.ts';
import { Failure } from '../../lib/failure.ts';
import type { Catalogue, Found } from '../../lib/image-login/find-registry.ts';
import { nodeIdentity, ownManner, podIdentity } from '../../lib/image-login/manner.ts';
import type { Manner } from '../../lib/image-login/manner.ts';
import type { Request } from '../../lib/image-login/parse-request.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import type { Config } from '../../schemas/config.ts';
import type { DropIn } from './drop-in.ts';
import { findAs, findOwn, isMirror } from './find-own.ts';
import { regionOf } from './region.ts';

/** https://github.com/kubernetes/cloud-provider-aws/tree/master/cmd/ecr-credential-provider */
export const ecr: DropIn = {
  name: 'ecr-credential-provider',
  summary:
    'Log in to ECR and ECR Public with the identity of the node, or of the pod whose token comes with the request.',
  valueFlags: [],
  shortFlags: {},
  // Words such as get-credentials are taken and mean nothing, there as here.
  read: (_given, { env }) => {
    const manner = mannerWith(env['AWS_ECR_ROLE_ARN'] || undefined);
    return Promise.resolve({ env: withOlderVariable(env), manner, adapt: (config: Config) => config });
  },
};

/** Only AWS's SDK for Go reads it, and only where the other one says nothing. */
function withOlderVariable(env: Environment): Environment {
  const profile = env['AWS_PROFILE'] || env['AWS_DEFAULT_PROFILE'];
  return profile ? { ...env, AWS_PROFILE: profile } : env;
}

/** A pod whose service account names no role has the one of the environment, and without that it is the node. */
function mannerWith(roleArn: string | undefined): Manner {
  return {
    ...ownManner,
    find: async (image, catalogue) => (await findOwn('aws', image, catalogue)) ?? findMirror(image, catalogue),
    identify: (request, found) => {
      const pod = podIdentity(request);
      if (pod === undefined || found.cloud !== 'aws') return pod ?? nodeIdentity(found);
      const role = roleOf(request) ?? roleArn;
      return role ? { ...pod, role: { [ownKey]: role } } : nodeIdentity(found);
    },
  };
}

const ownKey = 'eks.amazonaws.com/ecr-role-arn';
const roleKeys = [ownKey, 'eks.amazonaws.com/role-arn'];

/** Empty: the service account wants none, whatever the environment says. */
function roleOf({ annotations }: Request): string | undefined {
  return roleKeys.map((key) => annotations[key]).find((value) => value !== undefined);
}

async function findMirror(image: ImageReference, catalogue: Catalogue): Promise<Found | undefined> {
  if (!(await isMirror(image, catalogue))) return undefined;
  const region = await regionOf(catalogue.world);
  if (region === undefined) throw noRegion(image);
  return findAs(registryIn(region), image, catalogue);
}

/** By how a region begins, what its partition's registries end in. */
const suffixes: Readonly<Record<string, string>> = {
  'cn-': 'amazonaws.com.cn',
  'eusc-': 'amazonaws.eu',
  'us-iso-': 'c2s.ic.gov',
  'us-isob-': 'sc2s.sgov.gov',
  'eu-isoe-': 'cloud.adc-e.uk',
  'us-isof-': 'csp.hci.ic.gov',
};

/** A login serves the registries of every account, so it does not matter whose is named. */
function registryIn(region: string): string {
  const [, suffix = 'amazonaws.com'] = Object.entries(suffixes).find(([start]) => region.startsWith(start)) ?? [];
  return `000000000000.dkr.ecr.${region}.${suffix}`;
}

function noRegion({ host }: ImageReference): Failure {
  return new Failure('misconfigured', `${host} is no host of ECR, and no region says whose login it needs`, {
    remedy: 'set AWS_REGION in the provider entry, or give the host an entry below `registries` of the configuration',
  });
}
