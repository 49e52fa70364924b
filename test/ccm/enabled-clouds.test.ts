import t from 'tap';
import { enableClouds } from '../../ccm/enabled-clouds.ts';
import { clouds, cloudsWith } from '../../clouds/index.ts';
import { parseConfigFile } from '../../lib/config/parse-config.ts';
import { fakeHost } from '../clouds/fake-host.ts';

const runtime = { env: {}, host: fakeHost({}) };
const config = parseConfigFile('static: { inventoryFile: /inventory.yaml }', '/config.yaml');
const supported = `supported: ${cloudsWith('instances').join(', ')}`;

await t.test('every supported cloud can be named, also twice', async (t) => {
  const names = cloudsWith('instances');
  const enabled = await enableClouds([...names, ...names], runtime, config);
  t.strictSame(
    enabled.map(({ name }) => name),
    names,
  );
});

// None at present: every cloud has instances.
for (const { name } of clouds.filter(({ capabilities }) => !capabilities.includes('instances'))) {
  await t.test(`${name} is not supported yet, and the message names those that are`, async (t) => {
    const message = `--cloud-provider names ${name}, which is not supported yet`;
    await t.rejects(enableClouds([name], runtime, config), { kind: 'misconfigured', message, remedy: supported });
  });
}

await t.test('a word that is no cloud', async (t) => {
  await t.rejects(enableClouds(['awss'], runtime, config), {
    kind: 'misconfigured',
    message: '--cloud-provider names "awss", which is not a cloud that we know',
    remedy: `give one or several of ${cloudsWith('instances').join(', ')}`,
  });
});

await t.test('a supported cloud that lacks its configuration', async (t) => {
  const rejected = enableClouds(['static'], runtime, parseConfigFile('', '/config.yaml'));
  await t.rejects(rejected, { kind: 'misconfigured', message: /static has no instances .* as it is configured/ });
});
