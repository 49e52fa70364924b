import t from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { isReady } from '../../../lib/node/read-node.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { requires } from '../../lab/requires.ts';
import { nodeFor } from '../../lab/node/for-test.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { isInitialized, untilNode, warningsOn, writesBy } from '../api-server/node-agent/nodes.ts';
import { agentKubeconfig } from '../api-server/node-agent/permissions.ts';

const program = 'polycloud-node-agent';
const file = executablePath(program, hostArchitecture());

await t.test('with a real kubelet, whatever is restarted', requires(await nodeSupport()), async (t) => {
  const node = await nodeFor(t, 'aws', { kubeletArguments: ['--node-ip=10.0.0.20'], parts: [] });
  const { plane, name } = node;
  const kubeconfig = await agentKubeconfig(plane);
  const args = ['--kubeconfig', kubeconfig, '--node-name', name, '--node-status-update-frequency', '500ms'];
  await node.startProgram('agent', { file, args: [...args, '--secure-port', '0'] }, () => Promise.resolve(true));
  const initialized = await untilNode({ plane }, name, 'is initialised', isInitialized);
  t.match(initialized, {
    metadata: { labels: { 'topology.kubernetes.io/zone': 'us-west-2b', 'node.kubernetes.io/instance-type': /./ } },
    spec: { providerID: /^aws:\/\/\/us-west-2b\/i-/ },
  });
  await untilNode({ plane }, name, 'is Ready', isReady);
  const addresses = JSON.stringify(initialized.status.addresses);
  t.match(addresses, /"InternalIP","address":"10\.0\.0\.20"/);
  const written = await writesBy({ plane }, program, name);
  t.equal(written.length, 2);

  const restarts: Readonly<Record<string, () => Promise<void>>> = {
    'the kubelet': async () => {
      await node.stopPart('kubelet');
      await node.startPart('kubelet');
    },
    containerd: async () => {
      await node.stopPart('containerd');
      await node.startPart('containerd');
    },
    'the API server': async () => {
      await plane.stopApiServer();
      await plane.startApiServer();
    },
    'the metadata service': async () => {
      await node.clouds.aws.addFault({ service: 'imds', kind: 'refuse' });
      await node.clouds.aws.clearFaults();
    },
  };
  for (const [what, restart] of Object.entries(restarts)) {
    await t.test(`${what} is restarted, and the Node stays what it is`, async (t) => {
      await restart();
      const reads = async (): Promise<number> =>
        (await node.clouds.aws.requests()).filter(({ path }) => path.endsWith('/macs/')).length;
      const before = await reads();
      await waitUntil({ what: 'three readings', withinMs: 30_000, everyMs: 100 }, async () =>
        (await reads()) >= before + 3 ? true : undefined,
      );
      const now = await untilNode({ plane }, name, 'is Ready', isReady);
      t.ok(isInitialized(now));
      t.equal(JSON.stringify(now.status.addresses), addresses);
      t.equal((await writesBy({ plane }, program, name)).length, 2, 'nobody had to write anything');
    });
  }
  t.strictSame(
    (await warningsOn({ plane }, name)).filter(({ message }) => message.includes('hint:')),
    [],
  );
});
