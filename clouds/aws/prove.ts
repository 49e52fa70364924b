import { Failure } from '../../lib/failure.ts';
import type { CloudSettings, Context, Proof } from '../cloud.ts';
import type { AwsConfig } from './config.ts';
import { credentialsFor } from './identity.ts';
import { openMetadata } from './metadata.ts';
import { partitionOfRegion } from './partitions.ts';
import { withProfileSettings } from './profile-settings.ts';
import { requestSignedToken } from './token-service.ts';

export interface ProofWish {
  readonly audience: string;
  /** A profile. */
  readonly select: string | undefined;
}

/** AWS's word for who this node is, for others to believe. Regional endpoints alone give it. */
export async function prove(
  { audience, select }: ProofWish,
  given: CloudSettings<AwsConfig>,
  context: Context,
): Promise<Proof> {
  const settings = await withProfileSettings(given, select);
  const place = { region: await ownRegion(settings, context), fips: false, dualStack: false };
  const as = { kind: 'node', ...(select !== undefined && { select }) } as const;
  const base = await credentialsFor(as, place, settings, context);
  return requestSignedToken(base, audience, { settings, place, context });
}

async function ownRegion({ env }: CloudSettings<AwsConfig>, context: Context): Promise<string> {
  const named = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const region = named || (await (await openMetadata(env, context)).read('meta-data/placement/region'))?.trim() || '';
  if (partitionOfRegion(region) !== undefined) return region;
  throw new Failure('misconfigured', 'the region whose STS would sign for this node is not known', {
    remedy: 'set AWS_REGION',
  });
}
