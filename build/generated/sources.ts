import type { CloudTraits } from '../../clouds/cloud.ts';

/** Sources that depend on the list of clouds, by their paths. */
export function generatedSources(clouds: readonly CloudTraits[]): Readonly<Record<string, string>> {
  return {
    'schemas/generated/configs.ts': configs(clouds),
    'schemas/generated/defaults.ts': defaults(clouds),
    'schemas/generated/clouds.ts': cloudLists(clouds),
    'credential-provider/front/clouds.h': frontEndHeader(clouds),
    'charts/polycloud/templates/_clouds.tpl': chartTemplate(clouds),
  };
}

const note = 'Generated from clouds/<name>/traits.ts by `npm run generate`.';

/** zod's schemas of the clouds' own parts of the configuration. */
function configs(clouds: readonly CloudTraits[]): string {
  const imports = sortedByName(clouds).map(
    ({ name }) => `import { ${pascal(name)}Config } from '../config/${name}.ts';`,
  );
  const entries = clouds.map(({ name }) => `${name}: ${pascal(name)}Config`);
  return `// ${note}\n${imports.join('\n')}\n\nexport const cloudConfigs = { ${entries.join(', ')} };\n`;
}

function defaults(clouds: readonly CloudTraits[]): string {
  const imports = sortedByName(clouds).map(
    ({ name }) => `import { ${name}Defaults } from '../config/${name}.defaults.ts';`,
  );
  const entries = clouds.map(({ name }) => `${name}: ${name}Defaults`);
  return `// ${note}\n${imports.join('\n')}\n\nexport const cloudDefaults = { ${entries.join(', ')} };\n`;
}

function cloudLists(clouds: readonly CloudTraits[]): string {
  const issuers = sortedByName(clouds).filter(({ capabilities }) => capabilities.includes('identity'));
  const files = sortedByName(clouds).flatMap(({ hostInputs }) => hostInputs.homeFiles);
  return `// ${note}
/** Clouds that issue tokens which tell others which node this is. */
export const federationClouds = ${JSON.stringify(issuers.map(({ name }) => name))} as const;

/** Files below the home directory that choose an identity. */
export const cloudHomeFiles: readonly string[] = ${JSON.stringify(files)};
`;
}

/** What the front end's tables take from the clouds. */
function frontEndHeader(clouds: readonly CloudTraits[]): string {
  const prefixes = sortedByName(clouds).flatMap(({ hostInputs }) => hostInputs.variablePrefixes);
  const files = sortedByName(clouds).flatMap(({ hostInputs }) => hostInputs.homeFiles.map((file) => `/${file}`));
  return `/* ${note} */
#pragma once
${macro('CLOUD_VARIABLE_PREFIXES', prefixes)}
${macro('CLOUD_HOME_FILES', files)}
`;
}

/** Each text is followed by a comma, so that an empty list is one too. */
function macro(name: string, texts: readonly string[]): string {
  const lines = [`#define ${name}`];
  for (const text of texts.map((each) => ` ${JSON.stringify(each)},`)) {
    const last = lines.at(-1) ?? '';
    if (last.length + text.length <= 110) lines[lines.length - 1] = last + text;
    else lines.push(`   ${text}`);
  }
  return lines.join(' \\\n');
}

function chartTemplate(clouds: readonly CloudTraits[]): string {
  const prefixes = sortedByName(clouds).flatMap(({ labelPrefixes }) => labelPrefixes);
  const names = sortedByName(clouds).flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name] as const));
  const announcing = sortedByName(clouds).filter(({ capabilities }) => capabilities.includes('notices'));
  const described = sortedByName(clouds).filter(({ capabilities }) => capabilities.includes('metadata'));
  const announcingNames = announcing.flatMap(({ name, aliases }) => [name, ...aliases]);
  return `{{- /* ${note} */}}

{{- /* What the clouds' own labels on Nodes begin with, as JSON. */}}
{{- define "polycloud.labelPrefixes" -}}
${JSON.stringify(prefixes)}
{{- end }}

{{- /* Other names of clouds, as JSON, with their names. */}}
{{- define "polycloud.cloudAliases" -}}
${JSON.stringify(Object.fromEntries(names))}
{{- end }}

{{- /* Clouds whose machines agents can describe, as JSON. */}}
{{- define "polycloud.cloudsWithMetadata" -}}
${JSON.stringify(described.map(({ name }) => name))}
{{- end }}

{{- /* Clouds that announce interruptions, by all their names, as JSON. */}}
{{- define "polycloud.cloudsWithNotices" -}}
${JSON.stringify(announcingNames)}
{{- end }}
`;
}

function sortedByName(clouds: readonly CloudTraits[]): readonly CloudTraits[] {
  return clouds.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
