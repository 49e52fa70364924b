import type { Capability, CloudTraits } from '../../clouds/cloud.ts';
import { supportSummary } from '../docs/support-table.ts';

/** Files of which a part depends on the list of clouds: what each becomes. */
export const edits: Readonly<Record<string, (text: string, clouds: readonly CloudTraits[]) => string>> = {
  'charts/polycloud/values.schema.json': valuesSchema,
  'docs/guides/broker.md': brokerGuide,
  'README.md': (text, clouds) => replaceSection(text, 'support', supportSummary(clouds)),
};

interface ValuesSchema {
  then: { properties: { clouds: { items: { enum: readonly string[] } } } };
  properties: {
    clouds: { items: { enum: readonly string[] } };
    agent: { properties: { cloud: { enum: readonly string[] } } };
  };
}

/** With a controller, the chart takes the clouds whose instances can be looked up; without one, what agents describe. */
function valuesSchema(text: string, clouds: readonly CloudTraits[]): string {
  const schema = JSON.parse(text) as ValuesSchema;
  schema.then.properties.clouds.items.enum = namesWith(clouds, 'instances');
  schema.properties.clouds.items.enum = namesWith(clouds, 'metadata');
  schema.properties.agent.properties.cloud.enum = ['', ...namesWith(clouds, 'metadata')];
  return JSON.stringify(schema, undefined, 2);
}

/** With their other names. */
function namesWith(clouds: readonly CloudTraits[], capability: Capability): readonly string[] {
  return clouds.flatMap(({ name, aliases, capabilities }) =>
    capabilities.includes(capability) ? [name, ...aliases] : [],
  );
}

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
