import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';
import type { Capability } from '../../clouds/cloud.ts';
import { clouds } from '../../clouds/index.ts';

interface ValuesSchema {
  readonly then: CloudsSchema;
  readonly else: CloudsSchema;
  readonly properties: { readonly agent: { readonly properties: { readonly cloud: Enum } } };
}

interface CloudsSchema {
  readonly properties: { readonly clouds: { readonly items: Enum } };
}

interface Enum {
  readonly enum: readonly string[];
}

const chart = join(projectDirectory, 'charts/polycloud');
const [ofController, ofAgent] = [namesWith('instances'), namesWith('metadata')];

await t.test('the chart takes exactly the clouds that its programs support', async (t) => {
  const schema = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8')) as ValuesSchema;
  t.strictSame(schema.then.properties.clouds.items.enum, ofController, 'with a controller');
  t.strictSame(schema.else.properties.clouds.items.enum, ofAgent, 'without one');
  t.strictSame(schema.properties.agent.properties.cloud.enum, ['', ...ofAgent]);
});

await t.test('the values name each of these clouds', async (t) => {
  const comment = /^# The clouds of the nodes: (?<names>[^.]*)\./m.exec(
    await readFile(join(chart, 'values.yaml'), 'utf8'),
  );
  const named = (comment?.groups?.['names'] ?? '').split(/[^a-z]+/).filter((word) => word !== '' && word !== 'or');
  t.same(named.toSorted(), [...new Set([...ofController, ...ofAgent])].toSorted());
});

function namesWith(capability: Capability): readonly string[] {
  const supporting = clouds.filter(({ capabilities }) => capabilities.includes(capability));
  return supporting.flatMap(({ name, aliases }) => [name, ...aliases]);
}
