import { Failure } from '../../lib/failure.ts';
import type { CloudSettings } from '../cloud.ts';
import type { AwsConfig } from './config.ts';

/** AWS_CA_BUNDLE, or `ca_bundle` of the profile, takes the place of all other trust for calls to AWS, as the SDKs and the CLI document it. */
export async function readCaBundle({ env, host }: CloudSettings<AwsConfig>): Promise<string | undefined> {
  const path = env['AWS_CA_BUNDLE'];
  if (!path) return undefined;
  const text = await host.readText(path);
  if (text?.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Failure(
    'misconfigured',
    `${path}, named by AWS_CA_BUNDLE or by ca_bundle of the profile, holds no certificate`,
    {
      remedy: 'let it name a file of PEM certificates, or unset it',
    },
  );
}
