import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import t from 'tap';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import type { Pod } from '../../../lib/kubernetes/objects.ts';
import { isReady } from '../../../lib/node/read-node.ts';
import { labUserKey } from '../../lab/clouds/aws/state.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { nodeFor } from '../../lab/node/for-test.ts';
import { sleepingImage } from '../../lab/node/image/busybox-image.ts';
import type { LabNode } from '../../lab/node/lab-node.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { requires } from '../../lab/requires.ts';
import { marksOf } from '../api-server/node-agent/marks.ts';
import { isInitialized, readNode, untilNode } from '../api-server/node-agent/nodes.ts';
import { agentKubeconfig } from '../api-server/node-agent/permissions.ts';
import { watchPods } from '../api-server/node-agent/watch-node.ts';

const image = 'docker.io/lab/orders:1';
/** Of the node, and gone with it. */
const directory = '/var/lib/orders';
const replicas = 3;
const graceSeconds = 20;
const soon = { withinMs: 60_000, everyMs: 100 };
const timeout = 240_000;
t.setTimeout(timeout);

await t.test('a spot instance with a real kubelet goes', { ...requires(await nodeSupport()), timeout }, async (t) => {
  const node = await nodeFor(t, 'aws', { kubeletArguments: ['--node-ip=10.0.0.20'] });
  const { plane, name } = node;
  await startPrograms(t, node);
  await untilNode({ plane }, name, 'is initialised and Ready', (now) => isInitialized(now) && isReady(now));
  await node.importImage(sleepingImage('orders'), image);
  const seen = await watchPods({ plane, atEnd: (action) => t.teardown(action) });
  await createDeployment(node);
  await waitUntil({ what: 'its pods run', ...soon }, async () => {
    const pods = await podsOf(node);
    return (pods.length === replicas && pods.every(({ status }) => status.phase === 'Running')) || undefined;
  });
  const before = (await podsOf(node)).map(({ metadata }) => metadata.name);

  await t.test('its pods end by themselves, within their grace', async (t) => {
    await announceEnd(node);
    await untilNode({ plane }, name, 'is marked', (now) => marksOf(now) === 'ends:NoSchedule cordon');
    await waitUntil({ what: 'they are gone', ...soon }, async () => {
      const names = new Set((await podsOf(node)).map(({ metadata }) => metadata.name));
      return before.every((each) => !names.has(each)) || undefined;
    });
    const lines = (await readFile(node.path(join(directory, 'orders.log')), 'utf8')).trim().split('\n');
    t.strictSame(lines.toSorted(), before.flatMap((pod) => [`${pod} ended`, `${pod} preStop`]).toSorted());
  });

  await t.test('their replacements are scheduled nowhere', async (t) => {
    const waiting = await waitUntil({ what: 'the scheduler has tried', ...soon }, async () => {
      const pods = await podsOf(node);
      return pods.length === replicas && pods.every((pod) => isUnschedulable(pod)) ? pods : undefined;
    });
    for (const { spec } of waiting) t.equal(spec.nodeName, undefined);
  });

  await t.test('the instance ends, and the controller deletes the Node', async (t) => {
    await endInstance(node);
    await waitUntil({ what: 'the Node is deleted', ...soon }, async () =>
      (await plane.ask('GET', `/api/v1/nodes/${name}`)).status === 404 ? true : undefined,
    );
    const bound = new Set(seen.filter(({ spec }) => spec.nodeName !== undefined).map(({ metadata }) => metadata.name));
    t.strictSame(bound, new Set(before), 'no other pod was ever scheduled there');
  });
});

async function startPrograms(t: Test, node: LabNode<'aws'>): Promise<void> {
  const { plane, namespace, name } = node;
  const file = executablePath('polycloud-node-agent', hostArchitecture());
  const args = ['--kubeconfig', await agentKubeconfig(plane), '--node-name', name, '--secure-port', '0'];
  await node.startProgram('agent', { file, args }, () => Promise.resolve(true));
  const configFile = join(t.testdir({}), 'ccm.yaml');
  await writeFile(configFile, stringify({ deletion: { sightingsApartMs: 500 } }));
  const flags = ['--cloud-provider', 'aws', '--cloud-config', configFile, '--node-monitor-period', '500ms'];
  const controller = namespace.start(
    executablePath('polycloud-ccm', hostArchitecture()),
    ['--kubeconfig', plane.adminKubeconfig, '--secure-port', '0', ...flags],
    {
      AWS_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
    },
  );
  for (const stream of [controller.stdout, controller.stderr]) stream.resume();
  const ended = once(controller, 'close');
  t.teardown(async () => {
    controller.kill('SIGTERM');
    await ended;
  });
}

/** Its pods leave a line before SIGTERM, and one when they have ended by themselves. */
async function createDeployment({ plane }: LabNode<'aws'>): Promise<void> {
  const write = (what: string): string => `echo $HOSTNAME ${what} >> /host/orders.log`;
  const wait = 'while :; do sleep 86400 & wait $!; done';
  const container = {
    name: 'main',
    image,
    imagePullPolicy: 'Never',
    command: ['/bin/sh', '-c', `trap 'sleep 4; ${write('ended')}; exit 0' TERM; ${wait}`],
    lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', `sleep 1; ${write('preStop')}`] } } },
    volumeMounts: [{ name: 'host', mountPath: '/host' }],
  };
  const labels = { app: 'orders' };
  const { status, body } = await plane.ask('POST', '/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'orders' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: graceSeconds,
          containers: [container],
          volumes: [{ name: 'host', hostPath: { path: directory, type: 'DirectoryOrCreate' } }],
        },
      },
    },
  });
  if (status !== 201) throw new Error(`no Deployment: ${String(status)} ${JSON.stringify(body)}`);
}

async function podsOf({ plane }: LabNode<'aws'>): Promise<readonly Pod[]> {
  const { body } = await plane.ask('GET', '/api/v1/namespaces/default/pods?labelSelector=app%3Dorders');
  return (body as { readonly items: readonly Pod[] }).items;
}

function isUnschedulable({ status }: Pod): boolean {
  const { conditions = [] } = status as { readonly conditions?: readonly { readonly reason?: string }[] };
  return conditions.some(({ reason }) => reason === 'Unschedulable');
}

async function announceEnd({ clouds }: LabNode<'aws'>): Promise<void> {
  const time = new Date(Date.now() + 120_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const action = JSON.stringify({ action: 'terminate', time });
  await clouds.aws.update({ metadata: { 'meta-data/spot/instance-action': action } });
}

/** Its kubelet reports the shutdown of the machine, as with a graceful shutdown of the node, and falls silent. */
async function endInstance({ plane, name, clouds, ...node }: LabNode<'aws'>): Promise<void> {
  await node.killProgram('agent');
  await node.killPart('kubelet');
  const now = new Date().toISOString();
  const shutDown = { status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' };
  const before = await readNode({ plane }, name);
  const conditions = (before.status.conditions ?? []).map((condition) =>
    condition.type === 'Ready' ? { ...condition, ...shutDown, lastTransitionTime: now } : condition,
  );
  const { status } = await plane.ask('PATCH', `/api/v1/nodes/${name}/status`, { status: { conditions } });
  if (status !== 200) throw new Error(`the Node's status: ${String(status)}`);
  const { ec2Instances, instance } = await clouds.aws.state();
  const own = ec2Instances[instance.instanceId];
  if (own === undefined) throw new Error('EC2 does not know the instance');
  const terminated = { ...own, state: 'terminated' as const, terminatedAtMs: Date.now() };
  await clouds.aws.update({ ec2Instances: { [own.instanceId]: terminated } });
}
