import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { peerModules } from '../../../bench/peers/peers.ts';

for (const { name, version, directory, packages, linkerFlags, versionArguments } of peerModules) {
  await t.test(`${name} is pinned to the version in the table`, async (t) => {
    const goMod = readFileSync(join(directory, 'go.mod'), 'utf8');
    for (const [program, path] of Object.entries(packages)) {
      const module = path.replace(/\/cmd(?:\/.*)?$/, '');
      t.match(goMod, `\n\t${path}\n`, 'a tool line, so that go.sum covers it');
      t.match(goMod, `require ${module} v${version}\n`, 'at the version of the table');
      const printsVersion = versionArguments[program] !== 'none';
      if (printsVersion) t.match(linkerFlags, `.gitVersion=v${version}`, 'and the linker sets its version');
    }
    t.match(readFileSync(join(directory, 'go.sum'), 'utf8'), ` v${version} h1:`, 'with its checksum');
  });
}

await t.test('no two modules build a program of the same name', async (t) => {
  const names = peerModules.flatMap(({ packages }) => Object.keys(packages));
  t.equal(new Set(names).size, names.length);
});
