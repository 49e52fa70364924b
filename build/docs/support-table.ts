import { cells, identities, registries } from '../../test/support/cells.ts';
import type { Cell } from '../../test/support/cells.ts';

/** The page of who can log in where. It is generated from the cells that name the tests, so it claims nothing else. */
export function supportPage(): string {
  const columns = Object.entries(registries);
  const rows = Object.entries(identities).map(([identity, label]) => {
    const marks = columns.map(([registry]) => markOf(cells.find((cell) => isAt(cell, registry, identity))));
    return `| ${[label, ...marks].join(' | ')} |`;
  });
  return `# Who can log in where

<!-- Made by build/docs/support-table.ts from test/support/cells.ts. -->

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
