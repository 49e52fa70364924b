import { Failure } from '../failure.ts';

/** The files that the vendors' own programs read under the same flag; people who switch pass them to us first. */
const formats: ReadonlyArray<readonly [whose: string, looksLike: RegExp]> = [
  ['the AWS or Google cloud provider (INI)', /^\s*(?:[;#].*\n\s*)*\[\s*(?:global|serviceoverride[^\]]*)\s*\]/i],
  ['the Azure cloud provider (azure.json)', /^\s*\{[^]*"(?:tenantId|subscriptionId|aadClientId)"\s*:/],
  ['the Azure cloud provider (azure.yaml)', /^(?:tenantId|subscriptionId|aadClientId)\s*:/m],
];

export function refuseVendorFormat(text: string, file: string): void {
  const vendor = formats.find(([, looksLike]) => looksLike.test(text))?.[0];
  if (vendor === undefined) return;
  throw new Failure('misconfigured', `${file} is a configuration of ${vendor}, not ours`, {
    remedy: 'see docs/reference/configuration.md; most of what stands there we find by ourselves',
  });
}
