import type { Context } from '../../lib/context.ts';
import { Failure } from '../../lib/failure.ts';
import type { AwsConfig } from '../../schemas/config/aws.ts';
import type { CloudSettings } from '../cloud.ts';

/**
 * AWS_CA_BUNDLE, or `ca_bundle` of the profile, replaces all other trust for calls to AWS, as the SDKs and the CLI
 * document.
 */
export async function readCaBundle({ env, host }: CloudSettings<AwsConfig>): Promise<string | undefined> {
  const path = env['AWS_CA_BUNDLE'];
  if (!path) return undefined;
  const text = await host.readText(path);
  if (text?.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Failure(
    'misconfigured',
    `${path}, named by AWS_CA_BUNDLE or by ca_bundle of the profile, holds no certificate`,
    {
      remedy: 'set it to a file of PEM certificates, or unset it',
    },
  );
}

/**
 * Opens the connection for the call that follows, and returns its trust: DNS, TCP and TLS proceed while the metadata
 * service responds and the SDK is loaded.
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
