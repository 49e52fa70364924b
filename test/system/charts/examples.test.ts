import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { projectDirectory } from '../../../build/project.ts';
import { clouds } from '../../../clouds/index.ts';
import { parseConfigFile } from '../../../lib/config/parse-config.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { fakeHost } from '../../clouds/fake-host.ts';
import { only, render } from '../../lab/helm/chart.ts';
import type { Values } from '../../lab/helm/chart.ts';

interface ExampleValues extends Values {
  readonly clouds?: readonly string[];
  readonly ccm?: { readonly extraEnv?: ReadonlyArray<{ readonly name: string; readonly value?: string }> };
}

const directory = join(projectDirectory, 'docs/examples/clusters');
const node = { uid: 'uid', name: 'node', nodeIps: [], labels: {} };
/** For each cloud, for several at once, and for agents without a controller. */
const files = [
  'aws',
  'azure',
  'digitalocean',
  'google-cloud',
  'logins-only',
  'openstack',
  'private-images',
  'several-clouds',
  'static',
  'vsphere',
].map((name) => `${name}.yaml`);

await t.test('the examples of values', requires(await findHelm()), async (t) => {
  t.same((await readdir(directory)).toSorted(), files);
  for (const file of files) {
    await t.test(file, async (t) => {
      const values = parse(await readFile(join(directory, file), 'utf8')) as ExampleValues;
      const manifests = await render(values);
      const { data } = only(manifests, 'ConfigMap', 'polycloud-config') as unknown as { data: Record<string, string> };
      t.ok(manifests.length > 0);
      const config = parseConfigFile(data['config.yaml'] ?? '', 'config.yaml');
      const env = Object.fromEntries((values.ccm?.extraEnv ?? []).map(({ name, value }) => [name, value]));
      for (const name of values.clouds ?? []) {
        const { instances } =
          (await clouds.find((each) => each.name === name)?.load({ env, host: fakeHost({}) }, config)) ?? {};
        const scopes = instances?.scopesOf(node) ?? [];
        t.ok(scopes.length > 0, `${name} has a scope`);
        t.notOk(
          scopes.some(({ key }) => /own|nowhere/.test(key)),
          `the scope of ${name} is configured`,
        );
      }
    });
  }
});
