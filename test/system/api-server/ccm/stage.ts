import t from 'tap';
import type { Test } from 'tap';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { controlPlaneFor, sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { needing } from '../../../lab/needing.ts';
import type { Support } from '../../../lab/needing.ts';
import { startWorldOn } from './world.ts';
import type { Shown, World } from './world.ts';

/** The full rounds are for machines; a person gets one. */
export const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1');
export const isFull = rounds >= 20;

const longestMs = 240_000;
t.setTimeout(longestMs);

export type Play = (t: Test, world: World) => Promise<void>;

/** A test with a world of its own, which ends with a search for secrets in all that was shown there. */
export async function onCluster(name: string, play: Play): Promise<void> {
  await stage(sharedControlPlaneFor, [], name, play);
}

/** For what takes more than a control plane. */
export async function onClusterWith(support: Support, name: string, play: Play): Promise<void> {
  await stage(sharedControlPlaneFor, [support], name, play);
}

/** For what stops the API server. */
export async function onOwnCluster(
  name: string,
  play: (t: Test, world: World, plane: ControlPlane) => Promise<void>,
): Promise<void> {
  await stage((t) => controlPlaneFor(t, { parts: [] }), [], name, play);
}

async function stage<Plane extends SharedControlPlane>(
  open: (t: Test) => Promise<Plane>,
  supports: readonly Support[],
  name: string,
  play: (t: Test, world: World, plane: Plane) => Promise<void>,
): Promise<void> {
  const needed = Object.assign({}, ...[await findPrograms(), ...supports].map(needing)) as ReturnType<typeof needing>;
  await t.test(name, { ...needed, timeout: longestMs }, async (t) => {
    const plane = await open(t);
    const world = await startWorldOn(t, plane);
    await play(t, world, plane);
    await t.test('no secret is shown in logs, pages, explanations, events, Nodes or leases', async (t) => {
      const places = [...world.shown, ...clusterOf(world)];
      for (const { where, text } of places) t.notOk(showsSecret(await text()), where);
    });
  });
}

/** All that anybody in the cluster may read. */
function clusterOf({ plane }: World): readonly Shown[] {
  const paths = ['/api/v1/events', '/api/v1/nodes', '/apis/coordination.k8s.io/v1/leases'];
  const lists = paths.map((path) => ({
    where: path,
    text: async () => JSON.stringify((await plane.ask('GET', path)).body),
  }));
  return [...lists, { where: 'the audit log', text: async () => JSON.stringify(await plane.auditEvents()) }];
}
