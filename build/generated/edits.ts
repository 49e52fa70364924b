import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CloudTraits } from '../../clouds/cloud.ts';
import { chartValues } from '../docs/chart-values.ts';
import { supportSummary } from '../docs/support-table.ts';
import { projectDirectory } from '../project.ts';
import { valuesSchema } from './values-schema.ts';

const chart = join(projectDirectory, 'charts/polycloud');

/** Files of which a part is generated: what each becomes. */
export const edits: Readonly<Record<string, (text: string, clouds: readonly CloudTraits[]) => string>> = {
  'charts/polycloud/values.schema.json': valuesSchema,
  'charts/polycloud/README.md': (text) =>
    replaceSection(text, 'values', chartValues(readFileSync(join(chart, 'values.yaml'), 'utf8'))),
  'charts/polycloud/Chart.yaml': (text) => text.replace(/^icon: .*$/m, `icon: ${iconAddress()}`),
  'docs/guides/broker.md': brokerGuide,
  'README.md': (text, clouds) => replaceSection(text, 'support', supportSummary(clouds)),
};

function brokerGuide(text: string, clouds: readonly CloudTraits[]): string {
  const items = clouds.map(({ name, hostInputs: { variablePrefixes, homeFiles } }) => {
    if (variablePrefixes.length + homeFiles.length === 0) return [];
    const files = homeFiles.length === 0 ? 'none' : codes(homeFiles);
    return [
      `- **${name}**`,
      `  - variables: ${codes(variablePrefixes.map((prefix) => `${prefix}*`))}`,
      `  - files in the home directory: ${files}`,
    ];
  });
  return replaceSection(text, 'host inputs', items.flat().join('\n'));
}

function codes(texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(', ');
}

/** The text between `<!-- generated: NAME … -->` and `<!-- end: NAME -->`. */
function replaceSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- generated: ${name} (npm run generate) -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`there is no ${begin} … ${end}`);
  return `${text.slice(0, from)}${begin}\n\n${section}\n\n${text.slice(to)}`;
}

/** The icon itself, so that it needs no server. */
function iconAddress(): string {
  return `data:image/svg+xml;base64,${readFileSync(join(chart, 'icon.svg')).toString('base64')}`;
}
