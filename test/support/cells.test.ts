import t from 'tap';
import { projectDirectory } from '../../build/project.ts';
import { cellName, cells, identities, registries } from './cells.ts';
import type { Cell } from './cells.ts';
import { untestedCells } from './untested-cells.ts';

await t.test('every cell that the docs claim has a test named after it', async (t) => {
  t.strictSame(await untestedCells(cells, projectDirectory), []);
});

await t.test('one that has none is missed', async (t) => {
  const file = 'test/system/programs/identities.test.ts';
  const planted: readonly Cell[] = [
    { registry: 'acr', identity: 'profile', outcome: 'login', file },
    { registry: 'ecr', identity: 'profile', outcome: 'login', file: 'test/system/programs/absent.test.ts' },
  ];
  t.strictSame(await untestedCells(planted, projectDirectory), [
    'test/system/programs/identities.test.ts has no test named acr × profile',
    'test/system/programs/absent.test.ts has no test named ecr × profile',
  ]);
});

await t.test('no cell stands there twice, and none of the words is unused', async (t) => {
  const names = cells.map(cellName);
  t.equal(new Set(names).size, names.length);
  t.strictSame(new Set(cells.map(({ registry }) => registry)), new Set(Object.keys(registries)));
  t.strictSame(new Set(cells.map(({ identity }) => identity)), new Set(Object.keys(identities)));
});
