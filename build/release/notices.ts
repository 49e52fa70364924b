import type { BundledPackage } from './bundled-packages.ts';

/** The licences of everything in an executable that is not ours. Packages with the same text share it. Pure. */
export function formatNotices(packages: readonly BundledPackage[], nodeVersion: string, nodeLicence: string): string {
  const byText = Map.groupBy(packages, ({ licenceText }) => normalise(licenceText));
  const sections = [...byText].map(([text, sharing]) => section(sharing.map(title), text));
  return [
    'The executables of polycloud contain the software below. polycloud itself has the licence in LICENSE.\n',
    ...sections,
    section([`Node.js ${nodeVersion}, with the software that its licence names`], normalise(nodeLicence)),
  ].join('\n');
}

function title({ name, version, licence }: BundledPackage): string {
  return `${name} ${version} (${licence})`;
}

function section(titles: readonly string[], text: string): string {
  return `${'='.repeat(80)}\n${titles.join('\n')}\n${'='.repeat(80)}\n\n${text}\n`;
}

function normalise(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
