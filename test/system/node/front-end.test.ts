import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { frontEndName } from '../../../build/executables/front-end.ts';
import { brokerSocket } from '../../../schemas/broker.ts';
import { requires } from '../../lab/requires.ts';
import { nodeFor } from '../../lab/node/for-test.ts';
import { sleepingImage } from '../../lab/node/image/busybox-image.ts';
import { builtPlugin, nodeIdentityPlugin } from '../../lab/node/plugins.ts';
import { ecrSite } from '../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { pluginName } from '../../lab/warm/warm-host.ts';
import { isInitialized, untilNode } from '../api-server/node-agent/nodes.ts';
import { agentKubeconfig } from '../api-server/node-agent/permissions.ts';

const account = '123456789012';
const host = `${account}.dkr.ecr.us-west-2.amazonaws.com`;
const pods = 20;

t.setTimeout(300_000);

await t.test(
  '20 pods with 20 images of one registry start at once on a cold node',
  requires(await nodeSupport()),
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'polycloud-plugins-'));
    t.teardown(() => rm(directory, { recursive: true }));
    const plugin = join(directory, pluginName);
    await copyFile(executablePath(frontEndName, hostArchitecture()), plugin);
    await symlink(builtPlugin, `${plugin}-full`);
    const node = await nodeFor(t, 'aws', {
      registries: [ecrSite({ accounts: [account], regions: ['us-west-2'] })],
      // As clusters that want speed have it; otherwise the kubelet pulls one image after the other, five a second.
      kubeletArguments: ['--serialize-image-pulls=false', '--registry-qps=0'],
      plugin: { ...nodeIdentityPlugin, programs: { [pluginName]: plugin } },
    });
    const { aws } = node.clouds;
    const args = ['--kubeconfig', await agentKubeconfig(node.plane), '--node-name', node.name, '--secure-port', '0'];
    const agent = executablePath('polycloud-node-agent', hostArchitecture());
    const isReady = async (): Promise<boolean> => existsSync(node.path(brokerSocket));
    await node.startProgram('agent', { file: agent, args }, isReady);
    await untilNode({ plane: node.plane }, node.name, 'is initialised', isInitialized);
    const names = Array.from({ length: pods }, (_, number) => `app-${number}`);
    for (const name of names) await node.push(sleepingImage(name), `${host}/${name}:1`);
    const outcomes = await Promise.all(names.map((name) => node.runPod({ name, image: `${host}/${name}:1` })));
    t.strictSame(
      outcomes.flatMap((outcome) => (outcome.pulled ? [] : [`${outcome.reason}: ${outcome.message}`])),
      [],
      'all pulled',
    );
    const { registryLogins } = await aws.state();
    t.equal(registryLogins.length, 1, 'one login');
    const { stdout } = await node.run(agent, ['status', '--json'], { env: {}, input: '', timeoutMs: 20_000 });
    t.match(JSON.parse(stdout), { broker: { logins: [{ registry: host, identity: 'node' }] } });
  },
);
