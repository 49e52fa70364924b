import type { Capability, CloudTraits } from '../../clouds/cloud.ts';
import { cells, identities, registries } from '../../test/support/cells.ts';
import type { Cell } from '../../test/support/cells.ts';

/** What each cloud offers, by its traits, and who can log in where, by the cells that name the tests. */
export function supportPage(clouds: readonly CloudTraits[]): string {
  const columns = Object.entries(registries);
  const rows = Object.entries(identities).map(([identity, label]) => {
    const marks = columns.map(([registry]) => markOf(cells.find((cell) => isAt(cell, registry, identity))));
    return `| ${[label, ...marks].join(' | ')} |`;
  });
  return `# What is supported

<!-- Made by build/docs/support-table.ts from clouds/<name>/traits.ts and test/support/cells.ts. -->

## What each cloud offers

| cloud | ${Object.values(capabilityLabels).join(' | ')} |
| --- |${' --- |'.repeat(Object.keys(capabilityLabels).length)}
${clouds.map(capabilityRow).join('\n')}

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

const capabilityLabels: Readonly<Record<Capability, string>> = {
  registry: 'login to its registries',
  identity: 'its nodes log in to other clouds',
  metadata: 'agent',
  instances: 'controller',
};

function capabilityRow({ name, capabilities }: CloudTraits): string {
  const marks = Object.keys(capabilityLabels).map((each) => (capabilities.includes(each as Capability) ? 'yes' : ''));
  return `| ${[name, ...marks].join(' | ')} |`;
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
