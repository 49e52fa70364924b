import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';
import type { Capability } from '../../clouds/cloud.ts';
import { clouds } from '../../clouds/index.ts';

interface ValuesSchema {
  readonly then: { readonly properties: { readonly clouds: { readonly items: Enum } } };
  readonly properties: {
    readonly clouds: { readonly items: Enum };
    readonly agent: { readonly properties: { readonly cloud: Enum } };
  };
}

interface Enum {
  readonly enum: readonly string[];
}

await t.test('the chart takes exactly the clouds that its programs support', async (t) => {
  const file = join(projectDirectory, 'charts/polycloud/values.schema.json');
  const { properties, then } = JSON.parse(await readFile(file, 'utf8')) as ValuesSchema;
  const [ofController, ofAgent] = [namesWith('instances'), namesWith('metadata')];
  t.strictSame(then.properties.clouds.items.enum, ofController, 'with a controller');
  t.strictSame(properties.clouds.items.enum, ofAgent, 'without one');
  t.strictSame(properties.agent.properties.cloud.enum, ['', ...ofAgent]);
  t.ok(
    ofController.every((name) => ofAgent.includes(name)),
    'agents take each name of `clouds` as a candidate',
  );
});

function namesWith(capability: Capability): readonly string[] {
  const supporting = clouds.filter(({ capabilities }) => capabilities.includes(capability));
  return supporting.flatMap(({ name, aliases }) => [name, ...aliases]);
}
