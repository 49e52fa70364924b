import type { Test } from 'tap';
import { sharedControlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { quickFlags, soonMs, startController, untilLogged } from '../../system/api-server/ccm/controller-process.ts';
import type { ControllerProcess } from '../../system/api-server/ccm/controller-process.ts';
import { launchInstances, removeInstance, startEnvironment } from '../../system/api-server/ccm/environment.ts';
import { register, registerKnown, setReady } from '../../system/api-server/ccm/nodes.ts';
import { addRouteTable, routeFlags } from '../../system/api-server/ccm/route-table.ts';
import type { Pages } from './timeline.ts';
import { valueIn } from './value-in.ts';

const deletion = { sightingsApartMs: 300, notFoundSpanMs: 900, notFoundMinAgeMs: 0 };

/** Of a controller that works, stops deletions, cannot create a route, and then is refused by its cloud. */
export async function controllerPages(t: Test): Promise<Pages> {
  const world = await startEnvironment(t, await sharedControlPlaneFor(t));
  const instances = await launchInstances(world, 12, 5);
  const [fresh, routeless, ...known] = instances.map((instance, index) => ({
    instance,
    name: `node-${String(index)}`,
  }));
  if (fresh === undefined || routeless === undefined) throw new Error('no instances');
  await addRouteTable(world, 'rtb-0123456789abcdef0', []);
  for (const { instance, name } of known) await registerKnown(world, name, instance, true);
  const controller = await startController(world, {
    deletion,
    config: { aws: { clusterName: 'prod' } },
    flags: [...quickFlags, ...routeFlags],
  });
  const first = await pageWhen(controller, 'looks_total{cloud="aws",scope="[^"]+",result="success"}', 1);
  const isNew = { isReady: true, isNew: true };
  await register(world, { name: fresh.instance.privateDnsName, podCIDRs: ['10.244.1.0/24'], ...isNew });
  await pageWhen(controller, 'node_controller_initial_node_sync_delay_seconds_count', 1);
  await pageWhen(controller, 'routed_nodes{state="present"}', 1);
  const second = await pageWhen(controller, 'nodes{state="uninitialized"}', 0);

  for (const { instance, name } of known.slice(0, 6)) {
    await removeInstance(world, instance);
    await setReady(world, name, false);
  }
  await untilLogged(controller.output, /polycloud\.dev\/confirm-deletions=\w+/, soonMs);
  const outside = { name: routeless.instance.privateDnsName, podCIDRs: ['10.9.2.0/24'] };
  await register(world, { ...outside, ...isNew });
  await pageWhen(controller, 'routed_nodes{state="failed"}', 1);
  const broken = await pageWhen(controller, 'breaker_open{scope="[^"]+"}', 1);

  await world.aws.addFault({ service: 'ec2', kind: 'status', status: 500 });
  await register(world, { name: 'never-found', isReady: false, isNew: true });
  const errors = 'looks_total{cloud="aws",scope="[^"]+",result="error"}';
  await pageWhen(controller, 'nodes{state="uninitialized"}', 1);
  const routeErrors = 'route_sync_total{outcome="error"}';
  await pageWhen(controller, routeErrors, 1);
  const failing = await pageWhen(controller, errors, 1);
  await pageWhen(controller, routeErrors, valueIn(failing, routeErrors) + 1);
  const later = await pageWhen(controller, errors, valueIn(failing, errors) + 1);
  const labels = { job: 'polycloud-ccm', namespace: 'kube-system', pod: 'polycloud-ccm-1', instance: '10.0.0.1:10258' };
  return { labels, healthy: [first, second], broken, failing: [failing, later] };
}

/** The page as soon as this sample has at least this value, or exactly 0. */
async function pageWhen({ page }: ControllerProcess, sample: string, value: number): Promise<string> {
  return waitUntil({ what: `${sample} ${String(value)}`, withinMs: 30_000, everyMs: 50 }, async () => {
    // It does not listen from the start.
    const { text } = await page('/metrics').catch(() => ({ text: '' }));
    const found = valueIn(text, sample);
    return (value === 0 ? found === 0 : found >= value) ? text : undefined;
  });
}
