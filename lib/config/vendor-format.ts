import type { CloudTraits } from '../../clouds/cloud.ts';
import { Failure } from '../failure.ts';

/** The vendors' programs have these files under the same flag. Users who migrate often pass them unchanged. */
export function refuseVendorFormat(text: string, file: string, clouds: readonly CloudTraits[]): void {
  const formats = clouds.flatMap(({ vendorConfigs }) => vendorConfigs).filter(({ looksLike }) => looksLike.test(text));
  if (formats.length === 0) return;
  const whose = formats.map((format) => format.whose).join(' or ');
  const keys = formats.map(({ replacedBy }) => `\`${replacedBy}\``).join(' or ');
  throw new Failure('misconfigured', `${file} is in the format of ${whose}, not in ours`, {
    remedy: `see ${keys} in docs/reference/configuration.md; most of the file's settings are detected`,
  });
}
