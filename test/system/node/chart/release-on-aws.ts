import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import { frontEndName } from '../../../../build/executables/front-end.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { builtPlugin, nodeIdentityPlugin } from '../../../lab/node/plugins.ts';
import { ecrSite } from '../../../lab/node/registry/registry-site.ts';
import { pluginName } from '../../../lab/warm/warm-host.ts';
import { pull } from '../kubelet/pulling.ts';
import { startProviderCalls } from './provider-calls.ts';
import { awsValues, trustOfNode } from '../../../lab/helm/release.ts';
import { releaseSteps } from './release-steps.ts';

const account = '123456789012';
const host = `${account}.dkr.ecr.us-west-2.amazonaws.com`;
const values = { ...awsValues, agent: { ...awsValues.agent, ...trustOfNode, broker: { enabled: true } } };
/** As installed, upgraded and rolled back. Each logs in at most once. */
const brokers = 3;

/** A release with the broker, on a node whose kubelet has the front end. No login fails while the agent is replaced. */
export async function checkReleaseOnAws(t: Test, images: readonly string[]): Promise<void> {
  const plugin = await installPlugin(t);
  const node = await nodeFor(t, 'aws', {
    registries: [ecrSite({ accounts: [account], regions: ['us-west-2'] })],
    plugin: { ...nodeIdentityPlugin, programs: { [pluginName]: plugin } },
  });
  for (const file of images) await node.importArchive(file);
  const countLogins = async (): Promise<number> => (await node.clouds.aws.state()).registryLogins.length;
  const steps = releaseSteps(t, node, { values, providerId: /^aws:\/\/\/us-west-2b\/i-/ });
  await steps.install();

  await t.test('a pull works with the agent', async (t) => {
    t.match(await pull(node, `${host}/before:1`), { pulled: true });
  });
  const before = await countLogins();
  const calls = startProviderCalls(node, plugin, `${host}/app:1`);
  await steps.upgradeAndRollBack();
  const { count, failures } = await calls.stop();
  await t.test('no login failed meanwhile, with the broker and without', async (t) => {
    t.same(failures, []);
    const logins = (await countLogins()) - before;
    t.comment(`${String(count)} calls, ${String(logins)} logins`);
    t.ok(logins > brokers, 'the full program answered while no agent ran');
    t.ok(logins < count, 'the brokers answered');
  });

  await steps.remove();
  await t.test('a pull works without the agent', async (t) => {
    t.match(await pull(node, `${host}/after:1`), { pulled: true });
  });
}

/** The front end, with the full program beside it. */
async function installPlugin(t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-plugins-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const plugin = join(directory, pluginName);
  await copyFile(executablePath(frontEndName, hostArchitecture()), plugin);
  await symlink(builtPlugin, `${plugin}-full`);
  return plugin;
}
