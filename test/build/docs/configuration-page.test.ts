import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { projectDirectory } from '../../../build/project.ts';
import { parseConfigFile } from '../../../lib/config/parse-config.ts';

const page = await readFile(join(projectDirectory, 'docs/reference/configuration.md'), 'utf8');
const sections = [...page.matchAll(/^## (?<title>.+)\n\n```yaml\n(?<yaml>[\s\S]*?)^```$/gm)].map(({ groups }) => ({
  title: groups?.['title'] ?? '',
  yaml: groups?.['yaml'] ?? '',
}));
const defaults = parseConfigFile('', 'none');

await t.test('the page has the settings of every cloud', (t) => {
  const titles = sections.map(({ title }) => title);
  t.same(titles, ['For every cloud', ...clouds.map(({ name }) => `\`${name}\``)]);
  t.end();
});

for (const { title, yaml } of sections) {
  await t.test(`${title}: as it is, it is the default`, (t) => {
    t.same(parseConfigFile(yaml, title), defaults);
    t.end();
  });

  await t.test(`${title}: with every setting, it is valid`, (t) => {
    const config = parseConfigFile(uncommented(yaml), title);
    t.notSame(config, defaults);
    t.end();
  });
}

await t.test('each key of the configuration is there', async (t) => {
  const schema = JSON.parse(await readFile(join(projectDirectory, 'schemas/config.schema.json'), 'utf8')) as Schema;
  const names = keysOf(schema);
  t.ok(names.length > 50);
  t.same(
    names.filter((name) => !new RegExp(`^[ #]*(?:- )?(?:\\S+\\.)?${name}:`, 'm').test(page)),
    [],
  );
});

/** Lines that begin with `##` stay comments. */
function uncommented(yaml: string): string {
  return yaml.replaceAll(/^(?<indent> *)# /gm, '$<indent>');
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

function keysOf({ properties = {}, items, oneOf = [], additionalProperties }: Schema): readonly string[] {
  const below = [...Object.values(properties), ...oneOf, ...(items === undefined ? [] : [items])];
  const others = typeof additionalProperties === 'object' ? keysOf(additionalProperties) : [];
  return [...Object.keys(properties), ...below.flatMap(keysOf), ...others];
}
