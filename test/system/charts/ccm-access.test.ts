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
import { allowedToController, refusedToController } from './ccm-permissions.ts';
import { checkPages, checkRights, startAsPod } from './as-pod.ts';
import { render } from './chart.ts';
import { apply, callerWith, createNode, tokenOfPod } from './cluster.ts';
import type { NewNode } from './cluster.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized';
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
    config: { deletion: { sightingsApartMs: 400 } },
    agent: { headStart: '1s' },
    ccm: {
      port,
      bindAddress: '127.0.0.1',
      extraArgs: ['--node-monitor-period=500ms', '--node-status-update-frequency=1s'],
      metrics: { readers: [{ name: 'prometheus', namespace: 'default' }] },
    },
  });
  await apply(plane, manifests);
  await createNode(plane, { metadata: { name: 'control-plane', labels: { 'polycloud.dev/cloud': 'false' } } });
  const workload = { kind: 'Deployment', name: 'polycloud-ccm' };
  const token = await tokenOfPod(plane, manifests, { ...workload, nodeName: 'control-plane' });

  await t.test('is all that it needs', async (t) => {
    const aws = await runOnLoopback(embeddedAws, { plain: Object.keys(embeddedAws.services) });
    t.teardown(() => aws.stop());
    const [fresh, ended] = Object.entries(fleet());
    if (fresh === undefined || ended === undefined) throw new Error('no instances');
    const terminated = { ...ended[1], state: 'terminated' as const, terminatedAtMs: Date.now() };
    await aws.update({ ec2Instances: { [fresh[0]]: fresh[1], [ended[0]]: terminated } });
    await createNode(plane, nodeOf('fresh', fresh[0], 'True', [{ key: uninitialized, effect: 'NoSchedule' }]));
    await createNode(plane, nodeOf('ended', ended[0], 'False', []));
    const env = {
      AWS_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
      AWS_ENDPOINT_URL_EC2: aws.url('ec2'),
      AWS_ENDPOINT_URL_STS: aws.url('sts'),
    };
    await startAsPod(t, { plane, manifests, token, workload, env, directory: t.testdir({}) });

    await t.test('to initialise a Node and to delete one', async () => {
      await waitUntil({ what: 'fresh is initialised', ...soon }, async () => {
        const { body } = await plane.ask('GET', '/api/v1/nodes/fresh');
        return JSON.stringify(body).includes(uninitialized) ? undefined : true;
      });
      await waitUntil({ what: 'ended is deleted', ...soon }, async () =>
        (await plane.ask('GET', '/api/v1/nodes/ended')).status === 404 ? true : undefined,
      );
    });
    await t.test('to serve its metrics to the readers in the values', (t) =>
      checkPages(t, { plane, port, metric: 'polycloud_ccm_deletions_total' }),
    );
    await t.test('and all of it is needed', (t) => checkRights(t, plane, 'polycloud-ccm', rights));
  });

  await t.test('its token allows this for any Node', async (t) => {
    const caller = callerWith(plane, token);
    for (const [what, wish] of Object.entries(allowedToController)) {
      const { status, message } = await caller.ask(wish);
      t.equal(status, 200, `${what} ${message}`);
    }
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
  return fleetOf({ ...place, count: 2, launchedAtMs, number: 7 });
}

function nodeOf(name: string, instanceId: string, ready: string, taints: readonly object[]): NewNode {
  return {
    metadata: { name },
    spec: { providerID: `aws:///us-west-2a/${instanceId}`, taints },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}
