import type { Test } from 'tap';
import { stringify } from 'yaml';
import { isReady } from '../../../../lib/node/read-node.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { LabNode } from '../../../lab/node/lab-node.ts';
import { isInitialized, untilNode } from '../../api-server/node-agent/nodes.ts';
import { render } from '../../../lab/helm/chart.ts';
import { helm } from '../../../lab/helm/release.ts';
import { waitForAgent, waitForReplicas } from './release-pods.ts';

export interface ReleaseOptions {
  readonly values: ReleaseValues;
  /** What the Node gets. */
  readonly providerId: RegExp;
}

interface ReleaseValues {
  readonly ccm?: object;
  readonly agent?: object;
  readonly [more: string]: unknown;
}

/** What Helm does with a release in its life. Each step is a test. */
export interface ReleaseSteps {
  /** On a node that is not initialised yet. */
  install(): Promise<unknown>;
  upgradeAndRollBack(): Promise<unknown>;
  remove(): Promise<unknown>;
}

export function releaseSteps(
  t: Test,
  { plane, name }: Pick<LabNode<never>, 'plane' | 'name'>,
  { values, providerId }: ReleaseOptions,
): ReleaseSteps {
  const upgraded = { ...values, ccm: { ...values.ccm, verbosity: 1 }, agent: { ...values.agent, verbosity: 1 } };
  return {
    install: async () => {
      await t.test('the API server accepts each object in a dry run', async (t) => {
        const manifests = await render(values);
        const text = manifests.map((each) => stringify(each)).join('---\n');
        const output = await plane.kubectl(['apply', '--dry-run=server', '--validate=strict', '--filename', '-'], text);
        t.equal(output.match(/created \(server dry run\)/g)?.length, manifests.length);
      });
      await t.test('installed, it initialises the Node', async (t) => {
        await helm(['install', '--wait'], plane, values);
        const { spec } = await untilNode({ plane }, name, 'is initialised', isInitialized);
        t.match(spec.providerID, providerId);
        await checkVerbosity(t, plane, 0);
      });
      await t.test('its own test succeeds', async (t) => {
        t.match(await helm(['test'], plane), /^Phase: +Succeeded$/m);
      });
    },
    upgradeAndRollBack: async () => {
      await t.test('an upgrade replaces agent and controller, with --wait', async (t) => {
        await helm(['upgrade', '--wait'], plane, upgraded);
        await checkVerbosity(t, plane, 1);
      });
      await t.test('a rollback brings the former release back', async (t) => {
        await helm(['rollback', '--wait'], plane);
        await checkVerbosity(t, plane, 0);
      });
    },
    remove: () =>
      t.test('removed, it leaves nothing but what it wrote to the Node, and the Lease', async (t) => {
        t.ok((await objectsOf(plane)).length > 0);
        await helm(['uninstall', '--wait'], plane);
        await waitUntil({ what: 'nothing is left', withinMs: 60_000, everyMs: 500 }, async () =>
          (await objectsOf(plane)).length === 0 ? true : undefined,
        );
        const node = await untilNode({ plane }, name, 'is Ready', isReady);
        t.ok(isInitialized(node));
        t.match(node.spec.providerID, providerId);
      }),
  };
}

/** Of the pods that are left when the old ones are gone. */
async function checkVerbosity(t: Test, plane: ControlPlane, verbosity: number): Promise<void> {
  const pods = [await waitForAgent(plane), ...(await waitForReplicas(plane))];
  for (const { spec } of pods) t.ok(spec.containers[0]?.args.includes(`-v=${String(verbosity)}`));
}

/** Objects of every kind that have our name, except events. */
async function objectsOf(plane: ControlPlane): Promise<readonly string[]> {
  const kinds = await plane.kubectl(['api-resources', '--verbs=list', '--output=name']);
  const wanted = kinds.split('\n').filter((kind) => kind !== '' && !kind.startsWith('events'));
  const names = await plane.kubectl(['get', wanted.join(','), '--all-namespaces', '--output=name']);
  return names.split('\n').filter((each) => each.includes('polycloud'));
}
