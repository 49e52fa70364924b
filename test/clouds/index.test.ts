import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { clouds } from '../../clouds/index.ts';
import { parseConfigFile } from '../../lib/config/parse-config.ts';
import { variablesRead } from '../support/variables-read.ts';
import { fakeHost } from './fake-host.ts';

const runtime = { env: {}, host: fakeHost({}) };
const config = parseConfigFile('', '/config.yaml');
/** With what a cloud needs for all that it has. */
const completeConfig = `
static: { inventoryFile: /inventory.yaml }
vsphere: { vcenters: [{ name: main, server: vcenter.example.com }] }
aws: { clusterName: prod }
openstack: { routerId: 3b8a5e0c-6f0d-4f5c-9f0e-2a1b3c4d5e6f }
`;

await t.test('the list has every folder, and nothing else', (t) => {
  const entries = readdirSync(join(import.meta.dirname, '..', '..', 'clouds'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  t.strictSame(clouds.map(({ name }) => name).toSorted(), folders.toSorted());
  t.end();
});

await t.test('static is asked last: a stored login is for what no cloud serves', (t) => {
  t.equal(clouds.at(-1)?.name, 'static');
  t.end();
});

for (const entry of clouds) {
  await t.test(`${entry.name} is built from an empty configuration, with the name in the list`, async (t) => {
    const cloud = await entry.load(runtime, config);
    t.equal(cloud.name, entry.name);
  });

  await t.test(`${entry.name} has the capabilities in the list`, async (t) => {
    const complete = parseConfigFile(completeConfig, '/config.yaml');
    const { name: _, ...capabilities } = await entry.load(runtime, complete);
    t.strictSame(Object.keys(capabilities).toSorted(), entry.capabilities.toSorted());
  });

  await t.test(`the providerIDs of ${entry.name} are its own`, (t) => {
    const { pattern, examples } = entry.providerId;
    t.ok(examples.length > 0);
    for (const example of examples) {
      t.match(example, pattern);
      const others = clouds.filter(({ name, providerId }) => name !== entry.name && providerId.pattern.test(example));
      t.strictSame(others, [], example);
    }
    t.end();
  });

  await t.test(`no other name of ${entry.name} is the name of a cloud`, (t) => {
    const names = clouds.flatMap(({ name, aliases }) => [name, ...aliases]);
    t.equal(new Set(names).size, names.length);
    t.end();
  });

  await t.test(`the traits of ${entry.name} load nothing`, async (t) => {
    const text = await readFile(join(import.meta.dirname, '..', '..', 'clouds', entry.name, 'traits.ts'), 'utf8');
    t.notMatch(text, /^import (?!type )|import\(/m);
  });

  await t.test(`the traits of ${entry.name} have the variables that it reads`, async (t) => {
    for (const name of await variablesRead(`clouds/${entry.name}`)) {
      const prefixes = entry.hostInputs.variablePrefixes;
      t.ok(
        prefixes.some((prefix) => name.startsWith(prefix)),
        name,
      );
    }
  });

  await t.test(`${entry.name} has a run of the conformance suite`, (t) => {
    t.ok(readdirSync(join(import.meta.dirname, entry.name)).includes('index.test.ts'));
    t.end();
  });
}
