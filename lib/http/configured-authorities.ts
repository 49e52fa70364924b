import { Failure } from '../failure.ts';
import type { Host } from '../host.ts';
import { trustedCertificates } from './trust.ts';

/** The host's trusted certificates and the CA file of the configuration; `undefined` if the configuration names none. */
export async function configuredAuthorities(
  caFile: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  host: Pick<Host, 'readText'>,
): Promise<readonly string[] | undefined> {
  if (caFile === undefined) return undefined;
  const text = await host.readText(caFile);
  if (text?.includes('-----BEGIN CERTIFICATE-----')) return [...trustedCertificates(env), text];
  throw new Failure('misconfigured', `caFile ${caFile} holds no certificate`, {
    remedy: 'let it name a file of PEM certificates',
  });
}
