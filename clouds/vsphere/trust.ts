import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import type { HttpRequest } from '../../lib/http/http.ts';
import type { VcenterConfig } from '../../schemas/config/vsphere.ts';

/** A thumbprint replaces all other trust, and a CA file that of the machine. */
export async function trustOf(
  { thumbprint, caFile }: VcenterConfig,
  host: Pick<Host, 'readText'>,
): Promise<Pick<HttpRequest, 'trustOnly' | 'certificatePin'>> {
  if (thumbprint !== undefined) return { certificatePin: pinOf(thumbprint) };
  if (caFile === undefined) return {};
  const text = await host.readText(caFile);
  if (text?.includes('-----BEGIN CERTIFICATE-----')) return { trustOnly: text };
  throw new Failure('misconfigured', `${caFile} holds no certificate`, {
    remedy: 'let caFile of the vCenter name a file of PEM certificates',
  });
}

/** As Node.js writes it: upper-case pairs with colons. */
function pinOf(thumbprint: string): string {
  return (thumbprint.toUpperCase().match(/[0-9A-F]{2}/g) ?? []).join(':');
}
