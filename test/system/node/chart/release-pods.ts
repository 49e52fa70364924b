import { release } from '../../../lab/helm/chart.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';

export interface ReleasePod {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: ReadonlyArray<{ readonly args: readonly string[] }>;
  };
  readonly status: {
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
    readonly containerStatuses?: ReadonlyArray<{ readonly restartCount: number; readonly containerID?: string }>;
  };
}

/** The one pod of the agent, once its probes say that it is ready; `except` names one that goes. */
export async function waitForAgent(plane: ControlPlane, except?: string): Promise<ReleasePod> {
  const [pod] = await waitForPods(plane, {
    component: 'node-agent',
    count: 1,
    except: except === undefined ? [] : [except],
  });
  if (pod === undefined) throw new Error('no pod');
  return pod;
}

/** Both replicas of the controller, and no other pods of it. */
export function waitForReplicas(plane: ControlPlane, except: readonly string[] = []): Promise<readonly ReleasePod[]> {
  return waitForPods(plane, { component: 'ccm', count: 2, except });
}

interface PodSelection {
  readonly component: string;
  readonly count: number;
  /** Names of those that go. */
  readonly except: readonly string[];
}

async function waitForPods(
  plane: ControlPlane,
  { component, count, except }: PodSelection,
): Promise<readonly ReleasePod[]> {
  const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`);
  const path = `/api/v1/namespaces/${release.namespace}/pods?labelSelector=${selector}`;
  const what = `${String(count)} of ${component} are ready`;
  return waitUntil({ what, withinMs: 90_000, everyMs: 100 }, async () => {
    const { body } = await plane.ask('GET', path);
    const pods = (body as { readonly items: readonly ReleasePod[] }).items;
    const wanted = pods.filter((pod) => !except.includes(pod.metadata.name) && isReady(pod));
    return pods.length === count && wanted.length === count ? pods : undefined;
  });
}

export async function deletePod(plane: ControlPlane, { metadata }: ReleasePod): Promise<void> {
  const { status } = await plane.ask('DELETE', `/api/v1/namespaces/${release.namespace}/pods/${metadata.name}`);
  if (status !== 200) throw new Error(`pod ${metadata.name} was not deleted: ${String(status)}`);
}

function isReady({ status }: ReleasePod): boolean {
  return (status.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
}
