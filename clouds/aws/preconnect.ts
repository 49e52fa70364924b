import type { CloudSettings } from '../cloud.ts';
import type { Context } from '../../lib/context.ts';
import type { AwsConfig } from './config.ts';
import { readCaBundle } from './ca-bundle.ts';

/**
 * Whom to trust there, with the connection begun: while the metadata service answers and the SDK is loaded, DNS, TCP and
 * TLS of the call that follows go on.
 */
export async function preconnectTo(
  endpoint: URL,
  settings: CloudSettings<AwsConfig>,
  { http }: Context,
): Promise<string | undefined> {
  const trustOnly = await readCaBundle(settings);
  http.preconnect?.({ url: endpoint, ...(trustOnly !== undefined && { trustOnly }) });
  return trustOnly;
}
