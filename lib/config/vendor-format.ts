import type { CloudEntry, VendorReplacement } from '../../clouds/cloud.ts';
import { Failure } from '../failure.ts';
import { printable } from '../printable.ts';

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
    throw new Failure('misconfigured', `${file} is in the format of ${format.whose}, not in ours`, {
      remedy: `see \`${format.replacedBy}\` in docs/reference/configuration.md; most of the file's settings are detected`,
      ...(replacement !== undefined && { details: await replacementLines(replacement) }),
    });
  }
  if (!iniFile.test(text)) return;
  throw new Failure('misconfigured', `${file} is an INI file, as cloud providers of vendors have, and not YAML`, {
    remedy: 'see docs/reference/configuration.md for our format; most settings of such files are detected',
  });
}

/** Begins with a section. */
const iniFile = /^\s*(?:[;#].*\n\s*)*\[\s*[a-z]\w*(?:\s+"[^"\n]*")?\s*\]\s*(?:\n|$)/i;

/** A configuration to copy. What it does not replace is in comments, one line each. */
async function replacementLines({ config, remarks }: VendorReplacement): Promise<readonly string[]> {
  const [{ mistakesIn }, { Document }] = await Promise.all([import('./parse-config.ts'), import('yaml')]);
  if (Object.keys(config).length === 0) {
    return [comment('polycloud needs no setting in place of this file'), ...remarks.map(comment)];
  }
  const document = new Document(config);
  const mistakes = mistakesIn(config);
  // A value that we would not accept is not repeated: it may be something else than its name says, such as a secret.
  for (const { path } of mistakes) document.setIn(path, null);
  const lines = document.toString({ lineWidth: 0, nullStr: '' }).trimEnd().split('\n');
  return [
    comment('polycloud needs these lines in place of this file:'),
    ...lines.map((line) => printable(line.trimEnd())),
    ...[...mistakes.map(({ text }) => `to be filled in: ${text}`), ...remarks].map(comment),
  ];
}

function comment(text: string): string {
  return `# ${text}`;
}
