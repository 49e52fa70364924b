import { Failure } from '../../../lib/failure.ts';
import type { CloudSettings, IdentityToken } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import { credentialsFor } from './resolve-identity.ts';
import { openMetadata } from '../metadata/session.ts';
import { partitionOfRegion } from '../partitions.ts';
import { withProfileSettings } from './profile-settings.ts';
import { requestSignedToken } from './sts.ts';

export interface AwsTokenRequest {
  readonly audience: string;
  /** A profile. */
  readonly select: string | undefined;
}

/** A token that AWS signs for this node's role. Only regional endpoints issue it. */
export async function issueToken(
  { audience, select }: AwsTokenRequest,
  settingsWithoutProfile: CloudSettings<AwsConfig>,
  context: Context,
): Promise<IdentityToken> {
  const settings = await withProfileSettings(settingsWithoutProfile, select);
  const variant = { region: await ownRegion(settings, context), fips: false, dualStack: false };
  const as = { kind: 'node', ...(select !== undefined && { select }) } as const;
  const base = await credentialsFor(as, variant, settings, context);
  return requestSignedToken(base, audience, { settings, variant, context });
}

async function ownRegion({ env }: CloudSettings<AwsConfig>, context: Context): Promise<string> {
  const named = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const region = named || (await (await openMetadata(env, context)).read('meta-data/placement/region'))?.trim() || '';
  if (partitionOfRegion(region) !== undefined) return region;
  throw new Failure('misconfigured', 'the region of STS for this node is not known', {
    remedy: 'set AWS_REGION',
  });
}
