import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { sharedControlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { freePort } from '../../lab/control-plane/free-port.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { newNode } from './agent-permissions.ts';
import { checkPages, checkRights, startAsPod } from './as-pod.ts';
import { render } from './chart.ts';
import { apply, createNode, tokenOfPod } from './cluster.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const workload = { kind: 'DaemonSet', name: 'polycloud-node-agent' };

await t.test('an agent that only serves logins', requires(programs.available ? helm : programs), async (t) => {
  const plane = await sharedControlPlaneFor(t);
  // A socket's path may have 107 bytes.
  const [port, directory] = [await freePort(), await mkdtemp(join(tmpdir(), 'logins-'))];
  t.teardown(() => rm(directory, { recursive: true }));
  const manifests = await render({
    ccm: { enabled: false },
    agent: {
      nodeSync: { enabled: false },
      broker: { enabled: true },
      metrics: { readers: [{ name: 'prometheus', namespace: 'default' }] },
      port,
      bindAddress: '127.0.0.1',
      extraArgs: [
        `--broker-socket=${join(directory, 'broker/broker.sock')}`,
        `--status-socket=${join(directory, 'agent.sock')}`,
      ],
    },
  });
  await apply(plane, manifests);
  await createNode(plane, newNode('own'));
  const token = await tokenOfPod(plane, manifests, { ...workload, nodeName: 'own' });
  const said = await startAsPod(t, { plane, manifests, token, workload, env: { NODE_NAME: 'own' }, directory });
  await t.test('is ready, and shows its metrics', (t) =>
    checkPages(t, { plane, port, metric: 'polycloud_broker_requests_total' }),
  );
  await t.test('is refused nothing', async (t) => {
    await checkRights(t, plane, workload.name, ['create tokenreviews', 'create subjectaccessreviews']);
    t.notMatch(said(), /forbidden|denied/);
  });
});
