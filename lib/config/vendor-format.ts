import type { CloudEntry } from '../../clouds/cloud.ts';
import { Failure } from '../failure.ts';

export type KnownCloud = Omit<CloudEntry, 'load'>;

/**
 * The vendors' programs have these files under the same flag. Users who migrate often pass them unchanged, and get the
 * lines of our configuration that replace them.
 */
export async function refuseVendorFormat(text: string, file: string, clouds: readonly KnownCloud[]): Promise<void> {
  for (const { vendorConfigs, replaceVendorConfig } of clouds) {
    const format = vendorConfigs.find(({ looksLike }) => looksLike.test(text));
    if (format === undefined) continue;
    const replacement = await replaceVendorConfig?.(text, file);
    // Loaded only for such a file.
    const { replacementLines } = await import('./replacement-lines.ts');
    throw new Failure('misconfigured', `${file} is in the format of ${format.whose}, not in ours`, {
      remedy: `use the key \`${format.replacedBy}\` of our configuration; most of the file's settings are detected`,
      ...(replacement !== undefined && { details: replacementLines(replacement) }),
    });
  }
  if (!iniFile.test(text)) return;
  throw new Failure('misconfigured', `${file} is an INI file, as cloud providers of vendors have, and not YAML`, {
    remedy: 'write a YAML file with our keys, or none: most settings of such files are detected',
  });
}

/** Begins with a section. */
const iniFile = /^\s*(?:[;#].*\n\s*)*\[\s*[a-z]\w*(?:\s+"[^"\n]*")?\s*\]\s*(?:\n|$)/i;
