import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createCloudNetwork } from '../../lab/cloud-network.ts';
import { digitaloceanSite } from '../../lab/clouds/digitalocean/site.ts';
import { labToken } from '../../lab/clouds/digitalocean/state.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { requires } from '../../lab/requires.ts';
import { ask } from './provider.ts';

const image = 'registry.digitalocean.com/lab-registry/team/app:1';
const key = 'registry.digitalocean.com/lab-registry';

await t.test('DigitalOcean, at production addresses and names', requires(await namespaceSupport()), async (t) => {
  const sites = [digitaloceanSite()];
  const network = await createCloudNetwork({ sites, machineOf: 'digitalocean', ipVersions: [4] });
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-digitalocean-'));
  t.teardown(async () => {
    await network.stop();
    await rm(directory, { recursive: true });
  });
  const { namespace } = network;
  const { digitalocean } = network.clouds;
  t.beforeEach(() => digitalocean.reset());

  await t.test('docr × API token', async (t) => {
    const file = join(directory, 'token');
    const configFile = join(directory, 'config.yaml');
    await writeFile(file, `${labToken}\n`);
    await writeFile(configFile, JSON.stringify({ digitalocean: { tokenFile: file } }));
    for (const source of [{ env: { DIGITALOCEAN_ACCESS_TOKEN: labToken } }, { args: ['--config', configFile] }]) {
      const { answer } = await ask(namespace, { image, ...source });
      const login = answer?.auth[key];
      const { logins } = await digitalocean.state();
      t.match(logins[`${login?.username}:${login?.password}`], { registry: 'lab-registry', isReadOnly: true });
      t.equal(answer?.cacheKeyType, 'Image');
      t.match(answer?.cacheDuration, /^(?:6h0m0s|5h59m\d{1,2}s)$/, 'half of its life');
    }
  });

  await t.test('docr × pod', async (t) => {
    const { answer, stderr } = await ask(namespace, { image, token: 'x.y.z', env: { DO_ACCESS_TOKEN: labToken } });
    t.equal(answer, undefined);
    t.match(stderr, /cannot be used as a pod/);
    t.strictSame(await digitalocean.requests(), []);
  });

  await t.test('without a token, and with a wrong one', async (t) => {
    t.match((await ask(namespace, { image })).stderr, /there is no API token for DigitalOcean; hint: /);
    const { stderr } = await ask(namespace, { image, env: { DO_ACCESS_TOKEN: 'dop_v1_wrong' } });
    t.match(stderr, /does not accept the API token of DO_ACCESS_TOKEN; hint: /);
  });
});
