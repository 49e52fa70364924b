import type { Capability, CloudTraits } from '../../clouds/cloud.ts';
import { capabilityTests } from '../../test/support/capability-tests.ts';
import { cells, identities, registries } from '../../test/support/cells.ts';
import type { Cell } from '../../test/support/cells.ts';

/** What each cloud offers, by its traits, and who can log in where, by the cells that name the tests. */
export function supportPage(clouds: readonly CloudTraits[]): string {
  const columns = Object.entries(registries).map(([name, { label }]) => [name, label] as const);
  const rows = Object.entries(identities).map(([identity, label]) => {
    const marks = columns.map(([registry]) => markOf(cells.find((cell) => isAt(cell, registry, identity))));
    return `| ${[label, ...marks].join(' | ')} |`;
  });
  return `# What is supported

<!-- Made by build/docs/support-table.ts from clouds/<name>/traits.ts and the tables in test/support/. -->

## What each cloud offers

| cloud | ${Object.values(capabilityTexts)
    .map(({ column }) => column)
    .join(' | ')} |
| --- |${' --- |'.repeat(Object.keys(capabilityTexts).length)}
${clouds.map(capabilityRow).join('\n')}

${Object.entries(capabilityTexts)
  .map(([capability, { column, meaning }]) => `- **${column}**: ${meaning} ${testOf(capability as Capability)}`)
  .join('\n')}

“yes” means that the test exists for this cloud: \`npm run check\` fails if it is missing.

## Who can log in where

- “yes”: a test with the name of the cell logs in with the built executable, at production host names.
- “refused”: a test proves that there is a failure and no login.
- Empty: not supported, or not tested.

[The guide](../guides/credential-provider.md) explains how to set up each one.

| who | ${columns.map(([, label]) => label).join(' | ')} |
| --- | ${columns.map(() => '---').join(' | ')} |
${rows.join('\n')}

## The tests

${testRows().join('\n')}
`;
}

/** The short form, for the README: a column for what each program does. No production cluster has proven any of it. */
export function supportSummary(clouds: readonly CloudTraits[]): string {
  const rows = clouds.map(({ name, capabilities }) => {
    const labels = Object.values(registries).flatMap(({ cloud, label }) => (cloud === name ? [label] : []));
    const logins = labels.length === 0 ? 'beta' : `beta: ${labels.join(', ')}`;
    const others = (['metadata', 'notices', 'instances'] as const).map((each) => statusOf(capabilities, each));
    return `| ${[`\`${name}\``, capabilities.includes('registry') ? logins : '–', ...others].join(' | ')} |`;
  });
  return [
    '| cloud | credential provider | agent: its Node | agent: drain before an interruption | controller |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function statusOf(capabilities: readonly Capability[], capability: Capability): string {
  return capabilities.includes(capability) ? 'beta' : '–';
}

const capabilityTexts: Readonly<Record<Capability, { readonly column: string; readonly meaning: string }>> = {
  registry: {
    column: 'credential provider, registry',
    meaning: 'logs in to the image registries of the cloud.',
  },
  identity: {
    column: 'credential provider, identity',
    meaning: 'nodes of the cloud log in to registries of other clouds, with a signed token of their own cloud.',
  },
  metadata: {
    column: 'node agent, metadata',
    meaning: 'initialises its own Node from the instance metadata, and keeps it in sync.',
  },
  instances: {
    column: 'controller, instances',
    meaning: 'initialises Nodes, keeps them in sync, and deletes those whose instance is gone.',
  },
  notices: {
    column: 'node agent, notices',
    meaning: 'drains its Node before an interruption or maintenance that the cloud announces.',
  },
  routes: {
    column: 'controller, routes',
    meaning: 'keeps the routes to the pods of each Node, with `--configure-cloud-routes`.',
  },
};

function capabilityRow({ name, capabilities }: CloudTraits): string {
  const marks = Object.keys(capabilityTexts).map((each) => (capabilities.includes(each as Capability) ? 'yes' : ''));
  return `| ${[name, ...marks].join(' | ')} |`;
}

function testOf(capability: Capability): string {
  return `Test: \`test/clouds/<cloud>/${capabilityTests[capability].file}\`.`;
}

function isAt(cell: Cell, registry: string, identity: string): boolean {
  return cell.registry === registry && cell.identity === identity;
}

function markOf(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return cell.outcome === 'login' ? 'yes' : 'refused';
}

function testRows(): readonly string[] {
  const byFile = Map.groupBy(cells, ({ file }) => file);
  return [...byFile].map(([file, of]) => {
    const rows = [...new Set(of.map(({ identity }) => identities[identity]))];
    return `- [${file}](../../${file}): ${rows.join('; ')}`;
  });
}
