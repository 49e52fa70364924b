import t from 'tap';
import { aws as embeddedAws } from '../../lab/clouds/aws/cloud.ts';
import { labUserKey } from '../../lab/clouds/aws/state.ts';
import { fleetOf } from '../../lab/clouds/aws/ec2-fleet.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { freePort } from '../../lab/control-plane/free-port.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import {
  allowedToController,
  eventOnOwnLease,
  excludedNode,
  nodesOfTables,
  refusedToController,
} from './ccm-permissions.ts';
import { checkPages, checkRights, runAsPod, startAsPod } from './as-pod.ts';
import { render } from '../../lab/helm/chart.ts';
import { apply, callerWith, createNode, tokenOfPod } from './cluster.ts';
import type { Caller, NewNode } from './cluster.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized';
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';
const inventory = 'machines: [{ name: metal-1, labels: { example.com/rack: r1 }, zone: hall-1 }]';
const zoneLabel = 'topology.kubernetes.io/zone';
const soon = { withinMs: 20_000, everyMs: 50 };

/** Of those that the chart gives. */
const rights = [
  ...['get', 'list', 'watch', 'patch', 'delete'].map((verb) => `${verb} nodes`),
  ...['get', 'create', 'patch'].map((verb) => `${verb} leases`),
  ...['events', 'tokenreviews', 'subjectaccessreviews'].map((resource) => `create ${resource}`),
  'get configmaps',
];

await t.test('what the controller may do', requires(programs.available ? helm : programs), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const port = await freePort();
  const manifests = await render({
    clouds: ['aws', 'static'],
    config: { deletion: { sightingsApartMs: 400 }, static: { inventoryFile: '/etc/polycloud/inventory.yaml' } },
    configFiles: { 'inventory.yaml': inventory },
    agent: { headStart: '1s' },
    ccm: {
      port,
      bindAddress: '127.0.0.1',
      extraArgs: ['--node-monitor-period=500ms', '--node-status-update-frequency=1s'],
      metrics: { readers: [{ name: 'prometheus', namespace: 'default' }] },
    },
  });
  await apply(plane, manifests);
  await createNode(plane, excludedNode);
  const workload = { kind: 'Deployment', name: 'polycloud-ccm' };
  const token = await tokenOfPod(plane, manifests, { ...workload, nodeName: excludedNode.metadata.name });
  await untilPoliciesHold(callerWith(plane, token));
  const job = { kind: 'Job', name: 'polycloud-test' };
  const testToken = await tokenOfPod(plane, manifests, { ...job, nodeName: excludedNode.metadata.name });
  const runTest = (): ReturnType<typeof runAsPod> =>
    runAsPod({ plane, manifests, token: testToken, workload: job, program: 'polycloud-ccm' });
  await t.test('the pod of helm test fails without a leader', async (t) => {
    t.match(await runTest(), { code: 1, stdout: /no Lease/, stderr: '' });
  });

  await t.test('is all that it needs', async (t) => {
    const aws = await runOnLoopback(embeddedAws, { plain: Object.keys(embeddedAws.services) });
    t.teardown(() => aws.stop());
    const [fresh, ended, halted] = Object.values(fleet());
    if (fresh === undefined || ended === undefined || halted === undefined) throw new Error('no instances');
    const terminated = { ...ended, state: 'terminated' as const, terminatedAtMs: Date.now() };
    const stopped = { ...halted, state: 'stopped' as const };
    const instances = [fresh, terminated, stopped].map((each) => [each.instanceId, each] as const);
    await aws.update({ ec2Instances: Object.fromEntries(instances) });
    const isNew = [{ key: uninitialized, effect: 'NoSchedule' }];
    await createNode(plane, nodeOf('fresh', fresh.instanceId, 'True', isNew));
    await createNode(plane, nodeOf('ended', ended.instanceId, 'False', []));
    await createNode(plane, nodeOf('halted', halted.instanceId, 'False', []));
    await createNode(plane, { metadata: { name: 'metal-1' }, spec: { taints: isNew } });
    const env = {
      AWS_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
      AWS_ENDPOINT_URL_EC2: aws.url('ec2'),
      AWS_ENDPOINT_URL_STS: aws.url('sts'),
    };
    await startAsPod(t, { plane, manifests, token, workload, env, directory: t.testdir({}) });

    const untilNode = (name: string, what: string, holds: (node: string) => boolean): Promise<true> =>
      waitUntil({ what: `${name} ${what}`, ...soon }, async () => {
        const { status, body } = await plane.ask('GET', `/api/v1/nodes/${name}`);
        return holds(status === 404 ? 'deleted' : JSON.stringify(body)) || undefined;
      });
    await t.test('to initialise Nodes of a cloud and of an inventory', async () => {
      await untilNode('fresh', 'is initialised', (node) => !node.includes(uninitialized));
      await untilNode('metal-1', 'is initialised', (node) => !node.includes(uninitialized) && node.includes('"r1"'));
    });
    await t.test('to repair a Node', async () => {
      await plane.ask('PATCH', '/api/v1/nodes/fresh', { metadata: { labels: { [zoneLabel]: 'elsewhere' } } });
      await plane.ask('PATCH', '/api/v1/nodes/fresh/status', { status: { addresses: [] } });
      await untilNode(
        'fresh',
        'is repaired',
        (node) => node.includes(`"${zoneLabel}":"us-west-2a"`) && node.includes('InternalIP'),
      );
    });
    await t.test('to taint the Node of a stopped instance, and to remove the taint', async () => {
      await untilNode('halted', 'is tainted', (node) => node.includes(shutdown));
      await aws.update({ ec2Instances: { [halted.instanceId]: halted } });
      await untilNode('halted', 'is not tainted', (node) => !node.includes(shutdown));
    });
    await t.test('to delete a Node', () => untilNode('ended', 'is deleted', (node) => node === 'deleted'));
    await t.test('and the pod of helm test succeeds', async (t) => {
      await waitUntil({ what: 'the leader has written its status', ...soon }, async () =>
        (await runTest()).code === 0 ? true : undefined,
      );
      t.match(await runTest(), { code: 0, stdout: /all is well/, stderr: '' });
    });
    await t.test('to serve its metrics to the readers in the values', (t) =>
      checkPages(t, { plane, port, metric: 'polycloud_ccm_deletions_total' }),
    );
    await t.test('and all of it is needed', (t) => checkRights(t, plane, 'polycloud-ccm', rights));
  });

  for (const node of nodesOfTables) await createNode(plane, node);

  await t.test('its token allows this', async (t) => {
    const caller = callerWith(plane, token);
    for (const [what, wish] of Object.entries(allowedToController)) {
      const { status, message } = await caller.ask(wish);
      t.equal(status, 200, `${what} ${message}`);
    }
    const { status, message } = await caller.ask(eventOnOwnLease);
    t.equal(status, 201, message);
  });

  await t.test('and no more', async (t) => {
    const caller = callerWith(plane, token);
    for (const [what, [wish, why]] of Object.entries(refusedToController)) {
      const { status, message } = await caller.ask(wish);
      t.equal(status, 403, what);
      t.match(message, why, what);
    }
  });
});

function fleet(): ReturnType<typeof fleetOf> {
  const launchedAtMs = Date.now() - 3_600_000;
  const place = { region: 'us-west-2', zoneLetters: ['a'], accountId: '123456789012' };
  return fleetOf({ ...place, count: 3, launchedAtMs, number: 7 });
}

function nodeOf(name: string, instanceId: string, ready: string, taints: readonly object[]): NewNode {
  return {
    metadata: { name },
    spec: { providerID: `aws:///us-west-2a/${instanceId}`, taints },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

/** The API server takes a moment until it goes by a policy. */
async function untilPoliciesHold(controller: Caller): Promise<void> {
  const names = ['change an excluded Node', 'delete an excluded Node', 'tell events about others'];
  const refused = names.flatMap((name) => refusedToController[name]?.[0] ?? []);
  if (refused.length < names.length) throw new Error('the table has other names');
  await waitUntil({ what: 'the policies are in force', withinMs: 20_000, everyMs: 100 }, async () => {
    const answers = await Promise.all(refused.map((wish) => controller.ask(wish)));
    return answers.every(({ status }) => status === 403) || undefined;
  });
}
