import type { Event, ObjectMeta } from '../../../schemas/kubernetes.ts';
import type { AskApi } from '../control-plane/api.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

export interface PodWish {
  readonly name: string;
  readonly image: string;
  readonly hostNetwork?: boolean;
  /** The namespace's own if it is left out. */
  readonly serviceAccount?: string;
  /** Also where the taint says that nothing may. */
  readonly tolerant?: boolean;
  /** Added to what stands in the one container. */
  readonly container?: object;
  /** Added to what stands in the spec. */
  readonly spec?: object;
}

/** How far a pod has come with its image. */
export type Outcome = Pull & {
  readonly pod: Pod;
  /** Of this very pod, as far as they have been written. */
  readonly events: readonly Event[];
};

export type Pull =
  | { readonly pulled: true }
  /** The kubelet's word for it, and its sentence. */
  | { readonly pulled: false; readonly reason: string; readonly message: string };

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly { readonly state: ContainerState; readonly imageID: string }[];
  };
}

interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: object;
}

const patience = { withinMs: 90_000, everyMs: 50 };
const pods = '/api/v1/namespaces/default/pods';

/** Settles when its image was pulled and it was started, or when the kubelet says that it could not pull. */
export async function runPod(ask: AskApi, wish: PodWish): Promise<Outcome> {
  const { status, body } = await ask('POST', pods, manifestOf(wish));
  if (status !== 201) throw new Error(`no pod ${wish.name}: ${String(status)} ${JSON.stringify(body)}`);
  return outcomeOf(ask, wish.name);
}

async function outcomeOf(ask: AskApi, name: string): Promise<Outcome> {
  return waitUntil({ what: `the image of pod ${name} is pulled or not`, ...patience }, async () => {
    const pod = await getPod(ask, name);
    const pull = pullOf(pod);
    return pull && { ...pull, pod, events: await eventsOf(ask, pod) };
  });
}

/** `undefined`: not known yet. */
function pullOf({ status }: Pod): Pull | undefined {
  const { running, terminated, waiting } = status.containerStatuses?.[0]?.state ?? {};
  if (running !== undefined || terminated !== undefined) return { pulled: true };
  if (waiting === undefined || !failures.has(waiting.reason)) return undefined;
  return { pulled: false, reason: waiting.reason, message: waiting.message ?? '' };
}

const failures = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
]);

/**
 * Settles when the kubelet has let go of it, and so does not ask for its image any more. With no time to say goodbye the
 * pod would be gone at once from the API server and some time later from the kubelet.
 */
export async function deletePod(ask: AskApi, name: string): Promise<void> {
  await ask('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 1 });
  await waitUntil({ what: `pod ${name} is gone`, ...patience }, async () =>
    (await ask('GET', `${pods}/${name}`)).status === 404 ? true : undefined,
  );
}

async function getPod(ask: AskApi, name: string): Promise<Pod> {
  const { status, body } = await ask('GET', `${pods}/${name}`);
  if (status !== 200) throw new Error(`pod ${name}: ${String(status)} ${JSON.stringify(body)}`);
  return body as Pod;
}

async function eventsOf(ask: AskApi, { metadata }: Pod): Promise<readonly Event[]> {
  const selector = encodeURIComponent(`involvedObject.uid=${metadata.uid}`);
  const { body } = await ask('GET', `/api/v1/namespaces/default/events?fieldSelector=${selector}`);
  return (body as { readonly items: readonly Event[] }).items;
}

function manifestOf(wish: PodWish): object {
  const tolerations = wish.tolerant === true ? [{ operator: 'Exists' }] : [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: wish.name },
    spec: {
      hostNetwork: wish.hostNetwork ?? false,
      serviceAccountName: wish.serviceAccount ?? 'default',
      terminationGracePeriodSeconds: 0,
      tolerations,
      containers: [{ name: 'main', image: wish.image, imagePullPolicy: 'IfNotPresent', ...wish.container }],
      ...wish.spec,
    },
  };
}
