import t from 'tap';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { newNode, foreignTaints, uninitialized } from './agent-permissions.ts';
import { render } from '../../lab/helm/chart.ts';
import { apply, callerWith, createNode, tokenOfPod } from './cluster.ts';
import type { AccessRequest } from './cluster.ts';
import { waitForPolicies } from './wait-for-policies.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const others = [uninitialized, ...foreignTaints];
const taint = { key: 'polycloud.dev/interruption', value: 'ends', effect: 'NoSchedule' };
const annotation = 'polycloud.dev/interruption';

/** As an agent of the mode `drain` left it. */
const marked = {
  metadata: { annotations: { [annotation]: '{"notices":[],"hasOurCordon":true}' } },
  spec: { unschedulable: true, taints: [...others, taint] },
};

await t.test('an agent with mode ignore', requires(programs.available ? helm : programs), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const interruption = { mode: 'ignore' };
  const manifests = await render({ ccm: { enabled: false }, clouds: ['aws'], agent: { interruption } });
  await apply(plane, manifests);
  for (const name of ['own', 'other']) await createNode(plane, newNode(name));
  const agent = { kind: 'DaemonSet', name: 'polycloud-node-agent', nodeName: 'own' };
  const own = callerWith(plane, await tokenOfPod(plane, manifests, agent));
  await waitForPolicies(own);

  await t.test('may not mark its Node', async (t) => {
    for (const [body, why] of [
      [{ spec: { unschedulable: true } }, /only remove its own cordon/],
      [{ spec: { taints: [...others, taint] } }, /not add it/],
      [{ metadata: { annotations: { [annotation]: '{}' } } }, /not set it/],
    ] as const) {
      t.match(await own.ask(patchOwn(body)), { status: 403, message: why });
    }
    t.match(await own.ask(setCondition('True')), { status: 403, message: /to False/ });
  });

  await t.test('may not remove the cordon of a person', async (t) => {
    await plane.ask('PATCH', '/api/v1/nodes/own', { spec: { unschedulable: true } });
    const uncordon = { spec: { unschedulable: null } };
    t.match(await own.ask(patchOwn(uncordon)), { status: 403, message: /only remove its own cordon/ });
  });

  await t.test('may remove what it did in a stronger mode, in one patch', async (t) => {
    await plane.ask('PATCH', '/api/v1/nodes/own', marked);
    const undo = { metadata: { annotations: { [annotation]: null } }, spec: { unschedulable: null, taints: others } };
    t.match(await own.ask(patchOwn(undo)), { status: 200 });
    t.match(await own.ask(setCondition('False')), { status: 200 });
  });
});

function patchOwn(body: object): AccessRequest {
  return { method: 'PATCH', path: '/api/v1/nodes/own', body };
}

function setCondition(status: string): AccessRequest {
  const body = { status: { conditions: [{ type: 'polycloud.dev/Interruption', status }] } };
  return { method: 'PATCH', path: '/api/v1/nodes/own/status', body, patchType: 'strategic-merge' };
}
