import { Failure } from '../../lib/failure.ts';
import type { Context, Proof } from '../cloud.ts';
import { metadataService } from './metadata.ts';
import { tokenSourceFor } from './identity.ts';
import type { Settings } from './identity.ts';
import { publicAzure } from './partitions.ts';

interface Asked {
  readonly select: string | undefined;
  readonly settings: Settings;
  readonly context: Context;
}

/** A token of the node's own that says to others, also of other clouds, which identity of Entra it is. */
export async function prove(audience: string, { select, settings, context }: Asked): Promise<Proof> {
  const source = tokenSourceFor({ kind: 'node', ...(select !== undefined && { select }) }, publicAzure, settings);
  const { token, expiresAtMs } = await source(audience, context);
  if (expiresAtMs !== undefined) return { token, expiresAtMs };
  throw new Failure('invalid-response', `${metadataService} gave a token without an end`, {
    remedy: 'check that nothing else answers in its place',
  });
}
