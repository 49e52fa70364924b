import type { CloudTraits } from '../../clouds/cloud.ts';
import { Failure } from '../failure.ts';

/** The vendors' own programs read these files under the same flag. People who switch often pass them to us first. */
export function refuseVendorFormat(text: string, file: string, clouds: readonly CloudTraits[]): void {
  const formats = clouds.flatMap(({ vendorConfigs }) => vendorConfigs).filter(({ looksLike }) => looksLike.test(text));
  if (formats.length === 0) return;
  const whose = formats.map((format) => format.whose).join(' or ');
  const keys = formats.map(({ replacedBy }) => `\`${replacedBy}\``).join(' or ');
  throw new Failure('misconfigured', `${file} is a configuration of ${whose}, not ours`, {
    remedy: `see ${keys} in docs/reference/configuration.md; most of the file's settings are detected`,
  });
}
