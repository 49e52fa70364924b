import t from 'tap';
import type { Test } from 'tap';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { controlPlaneFor, sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { requires } from '../../../lab/requires.ts';
import type { Support } from '../../../lab/requires.ts';
import { startEnvironment } from './environment.ts';
import type { ShownOutput, TestEnvironment } from './environment.ts';

/** The full rounds are for machines; a person gets one. */
export const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1');
export const isFull = rounds >= 20;

const timeoutMs = 240_000;
t.setTimeout(timeoutMs);

export type TestBody = (t: Test, world: TestEnvironment) => Promise<void>;

/** A test with a world of its own, which ends with a search for secrets in all that was shown there. */
export async function onCluster(name: string, body: TestBody): Promise<void> {
  await runTest(sharedControlPlaneFor, [], name, body);
}

/** For what takes more than a control plane. */
export async function onClusterWith(support: Support, name: string, body: TestBody): Promise<void> {
  await runTest(sharedControlPlaneFor, [support], name, body);
}

/** For what stops the API server. */
export async function onOwnCluster(
  name: string,
  body: (t: Test, world: TestEnvironment, plane: ControlPlane) => Promise<void>,
): Promise<void> {
  await runTest((t) => controlPlaneFor(t, { parts: [] }), [], name, body);
}

async function runTest<Plane extends SharedControlPlane>(
  open: (t: Test) => Promise<Plane>,
  supports: readonly Support[],
  name: string,
  body: (t: Test, environment: TestEnvironment, plane: Plane) => Promise<void>,
): Promise<void> {
  const needed = Object.assign({}, ...[await findPrograms(), ...supports].map(requires)) as ReturnType<typeof requires>;
  await t.test(name, { ...needed, timeout: timeoutMs }, async (t) => {
    const plane = await open(t);
    const environment = await startEnvironment(t, plane);
    await body(t, environment, plane);
    await t.test('no secret is shown in logs, pages, explanations, events, Nodes or leases', async (t) => {
      const outputs = [...environment.outputs, ...clusterOutputs(environment)];
      for (const { where, text } of outputs) t.notOk(showsSecret(await text()), where);
    });
  });
}

/** All that anybody in the cluster may read. */
function clusterOutputs({ plane }: TestEnvironment): readonly ShownOutput[] {
  const paths = ['/api/v1/events', '/api/v1/nodes', '/apis/coordination.k8s.io/v1/leases'];
  const lists = paths.map((path) => ({
    where: path,
    text: async () => JSON.stringify((await plane.ask('GET', path)).body),
  }));
  return [...lists, { where: 'the audit log', text: async () => JSON.stringify(await plane.auditEvents()) }];
}
