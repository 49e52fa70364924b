import type { CloudTraits } from '../../clouds/cloud.ts';
import { commentedYaml } from './commented-yaml.ts';
import type { ConfigSchema } from './commented-yaml.ts';

/** Every setting as commented YAML: those of all clouds, then those of each one. */
export function configurationPage({ properties = {} }: ConfigSchema, clouds: readonly CloudTraits[]): string {
  const names = new Set(clouds.map(({ name }) => name));
  const general = Object.entries(properties).filter(([key]) => !names.has(key));
  const sections = clouds.flatMap(({ name }) => {
    const schema = properties[name];
    return schema === undefined ? [] : [`## \`${name}\`\n\n${yamlBlock([[name, schema]])}`];
  });
  return `# Configuration

<!-- Made by build/docs/configuration-page.ts from schemas/config.ts. -->

All programs read one YAML file: \`/etc/polycloud/config.yaml\` if it exists, or the file of \`--config\` (of the controller:
\`--cloud-config\`). In the chart it is the value \`config\`. A node of one cloud needs none. Unknown keys are errors, and
[the JSON Schema](../../schemas/config.schema.json) describes the same for editors. Check a file with
\`polycloud-credential-provider config lint FILE\`.

Copy what you need from here. Lines that begin with \`##\` explain. Settings without \`#\` have their default; remove
the \`#\` of the others to set them, here with an example.

## For every cloud

${yamlBlock(general)}

${sections.join('\n\n')}
`;
}

function yamlBlock(settings: ReadonlyArray<readonly [string, ConfigSchema]>): string {
  const blocks = settings.map(([key, schema]) => commentedYaml(key, schema).join('\n'));
  return `\`\`\`yaml\n${blocks.join('\n\n')}\n\`\`\``;
}
