import t from 'tap';
import { enableClouds } from '../../ccm/enabled-clouds.ts';
import { cloudsWith } from '../../clouds/index.ts';
import { parseConfigFile } from '../../lib/config/parse-config.ts';
import { fakeHost } from '../clouds/fake-host.ts';

const runtime = { env: {}, host: fakeHost({}) };
const config = parseConfigFile(
  'static: { inventoryFile: /inventory.yaml }\nvsphere: { vcenters: [{ name: main, server: vcenter.example.com }] }',
  '/config.yaml',
);

await t.test('every supported cloud can be named, and the order stays', async (t) => {
  const names = cloudsWith('instances').toReversed();
  const enabled = await enableClouds(names, runtime, config);
  t.strictSame(
    enabled.map(({ name }) => name),
    names,
  );
});

await t.test('a supported cloud that lacks its configuration', async (t) => {
  const rejected = enableClouds(['static'], runtime, parseConfigFile('', '/config.yaml'));
  await t.rejects(rejected, { kind: 'misconfigured', message: /static has no instances .* as it is configured/ });
});
