import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { peerModules } from '../../../bench/peers/peers.ts';

for (const { name, version, directory, packages, linkerFlags } of peerModules) {
  await t.test(`${name} is pinned to the version in the table`, async (t) => {
    const goMod = readFileSync(join(directory, 'go.mod'), 'utf8');
    for (const path of Object.values(packages)) {
      const [host = '', module = ''] = path.split('/');
      t.match(goMod, `\n\t${path}\n`, 'a tool line, so that go.sum covers it');
      t.match(goMod, `${host}/${module} v${version}\n`, 'at the version of the table');
    }
    t.match(linkerFlags, `.gitVersion=v${version}`, 'and the linker sets its version');
    t.match(readFileSync(join(directory, 'go.sum'), 'utf8'), ` v${version} h1:`, 'with its checksum');
  });
}

await t.test('no two modules build a program of the same name', async (t) => {
  const names = peerModules.flatMap(({ packages }) => Object.keys(packages));
  t.equal(new Set(names).size, names.length);
});
