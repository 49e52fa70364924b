import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { sharedControlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { freePort } from '../../lab/control-plane/free-port.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { brokerMetrics } from '../../../schemas/metrics/broker.ts';
import { daemonMetrics } from '../../../schemas/metrics/daemon.ts';
import type { Event } from '../../../schemas/kubernetes.ts';
import { checkServed } from '../../support/declared-metrics.ts';
import { newNode } from './agent-permissions.ts';
import { checkPages, checkRights, readMetrics, startAsPod } from './as-pod.ts';
import { render } from '../../lab/helm/chart.ts';
import { apply, createNode, tokenOfPod } from './cluster.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const workload = { kind: 'DaemonSet', name: 'polycloud-node-agent' };

await t.test('an agent that only serves logins', requires(programs.available ? helm : programs), async (t) => {
  const plane = await sharedControlPlaneFor(t);
  // A socket's path may have 107 bytes.
  const [port, directory] = [await freePort(), await mkdtemp(join(tmpdir(), 'logins-'))];
  t.teardown(() => rm(directory, { recursive: true }));
  const socketPath = join(directory, 'broker/broker.sock');
  const manifests = await render({
    ccm: { enabled: false },
    agent: {
      nodeSync: { enabled: false },
      broker: { enabled: true },
      metrics: { readers: [{ name: 'prometheus', namespace: 'default' }] },
      port,
      bindAddress: '127.0.0.1',
      extraArgs: [`--broker-socket=${socketPath}`, `--status-socket=${join(directory, 'agent.sock')}`],
    },
  });
  await apply(plane, manifests);
  await createNode(plane, newNode('own'));
  const token = await tokenOfPod(plane, manifests, { ...workload, nodeName: 'own' });
  const said = await startAsPod(t, { plane, manifests, token, workload, env: { NODE_NAME: 'own' }, directory });
  await t.test('is ready, and shows its metrics', (t) =>
    checkPages(t, { plane, port, metric: 'polycloud_broker_requests_total' }),
  );
  await t.test('reports a pull that fails as an event on its Node', async (t) => {
    const socket = createConnection(socketPath);
    socket.end('polycloud/2 polycloud-credential-provider\nno request\n');
    t.match(await text(socket), /\nfailure\n/);
    const event = await waitUntil({ what: 'an event', withinMs: 20_000, everyMs: 50 }, async () => {
      const { body } = await plane.ask('GET', '/api/v1/namespaces/default/events');
      return (body as { items: readonly Event[] }).items.find(({ reason }) => reason === 'RegistryLoginFailed');
    });
    t.match(event, { type: 'Warning', involvedObject: { kind: 'Node', name: 'own' } });
    t.match(event.message, /^no registry login: .*standard input is not one JSON object/);
  });
  await t.test('serves exactly the declared metrics', async (t) => {
    checkServed(t, await readMetrics(plane, port), [daemonMetrics, brokerMetrics]);
  });
  await t.test('is refused nothing', async (t) => {
    await checkRights(t, plane, workload.name, ['create events', 'create tokenreviews', 'create subjectaccessreviews']);
    t.notMatch(said(), /forbidden|denied/);
  });
});
