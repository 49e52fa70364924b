import { cells, identities, registries } from '../../test/support/cells.ts';
import type { Cell } from '../../test/support/cells.ts';

/** The page that says who can log in where: made from the cells that tests are named after, so it claims nothing else. */
export function supportPage(): string {
  const columns = Object.entries(registries);
  const rows = Object.entries(identities).map(([identity, label]) => {
    const marks = columns.map(([registry]) => markOf(cells.find((cell) => isAt(cell, registry, identity))));
    return `| ${[label, ...marks].join(' | ')} |`;
  });
  return `# Who can log in where

<!-- Made by build/docs/support-table.ts from test/support/cells.ts. -->

“yes”: a test named after the cell logs in with the built executable, at production host names. “refused”: a test shows that there is a failure
and no login. Empty: not meant to be, or not claimed. [The guide](../guides/credential-provider.md) says how each is set up.

| who | ${columns.map(([, label]) => label).join(' | ')} |
| --- | ${columns.map(() => '---').join(' | ')} |
${rows.join('\n')}

| the tests are in | of these rows |
| --- | --- |
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
    return `| [${file}](../../${file}) | ${rows.join('; ')} |`;
  });
}
