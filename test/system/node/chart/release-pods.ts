import { release } from '../../charts/chart.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';

export interface ReleasePod {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
    readonly containerStatuses?: ReadonlyArray<{ readonly restartCount: number; readonly containerID?: string }>;
  };
}

/** The one pod of a component of the release, once its probes say that it is ready; `except` names one that goes. */
export async function untilPodReady(plane: ControlPlane, component: string, except?: string): Promise<ReleasePod> {
  const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`);
  const path = `/api/v1/namespaces/${release.namespace}/pods?labelSelector=${selector}`;
  return waitUntil({ what: `the pod of ${component} is ready`, withinMs: 90_000, everyMs: 100 }, async () => {
    const { body } = await plane.ask('GET', path);
    const [pod, ...more] = (body as { readonly items: readonly ReleasePod[] }).items;
    return pod !== undefined && more.length === 0 && pod.metadata.name !== except && isReady(pod) ? pod : undefined;
  });
}

export async function deletePod(plane: ControlPlane, { metadata }: ReleasePod): Promise<void> {
  const { status } = await plane.ask('DELETE', `/api/v1/namespaces/${release.namespace}/pods/${metadata.name}`);
  if (status !== 200) throw new Error(`pod ${metadata.name} was not deleted: ${String(status)}`);
}

function isReady({ status }: ReleasePod): boolean {
  return (status.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
}
