import { readFileSync } from 'node:fs';
import t from 'tap';
import { readBundledPackages } from '../../../build/release/bundled-packages.ts';

await t.test('every direct dependency with code is in the list, with its licence', async (t) => {
  const packages = await readBundledPackages();
  const names = new Set(packages.map(({ name }) => name));
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  for (const name of Object.keys(dependencies)) t.ok(names.has(name), name);
  t.notOk(names.has('typescript'), 'a package that only builds');
  for (const { name, licenceText, licence } of packages) {
    t.match(licenceText, /permission|licen[cs]e/i, `${name}: a text`);
    t.match(licence, /^(?:MIT|Apache-2\.0|ISC|BSD-3-Clause|0BSD)$/, `${name}: ${licence} may be distributed`);
  }
  const yaml = packages.find(({ name }) => name === 'yaml');
  t.strictSame(yaml?.programs, ['polycloud-credential-provider', 'polycloud-node-agent', 'polycloud-ccm']);
});
