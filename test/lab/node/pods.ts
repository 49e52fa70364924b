import type { Event, ObjectMeta } from '../../../schemas/kubernetes.ts';
import type { CallApi } from '../control-plane/api.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

export interface PodOptions {
  readonly name: string;
  readonly image: string;
  readonly hostNetwork?: boolean;
  /** The namespace's own if it is left out. */
  readonly serviceAccount?: string;
  /** Also where a taint forbids it. */
  readonly tolerant?: boolean;
  /** Added to what stands in the one container. */
  readonly container?: object;
  /** Added to what stands in the spec. */
  readonly spec?: object;
}

/** How far a pod has come with its image. */
export type PodOutcome = PullResult & {
  readonly pod: LabPod;
  /** Of this very pod, as far as they have been written. */
  readonly events: readonly Event[];
};

export type PullResult =
  | { readonly pulled: true }
  /** The kubelet's word for it, and its sentence. */
  | { readonly pulled: false; readonly reason: string; readonly message: string };

export interface LabPod {
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

const waitOptions = { withinMs: 90_000, everyMs: 50 };
const pods = '/api/v1/namespaces/default/pods';

/** Settles when its image was pulled and it was started, or when the kubelet reports that it could not pull. */
export async function runPod(ask: CallApi, options: PodOptions): Promise<PodOutcome> {
  const { status, body } = await ask('POST', pods, manifestOf(options));
  if (status !== 201) throw new Error(`no pod ${options.name}: ${String(status)} ${JSON.stringify(body)}`);
  return waitForOutcome(ask, options.name);
}

async function waitForOutcome(ask: CallApi, name: string): Promise<PodOutcome> {
  return waitUntil({ what: `the image of pod ${name} is pulled or not`, ...waitOptions }, async () => {
    const pod = await getPod(ask, name);
    const pull = pullResultOf(pod);
    return pull && { ...pull, pod, events: await eventsOf(ask, pod) };
  });
}

/** `undefined`: not known yet. */
function pullResultOf({ status }: LabPod): PullResult | undefined {
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
export async function deletePod(ask: CallApi, name: string): Promise<void> {
  await ask('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 1 });
  await waitUntil({ what: `pod ${name} is gone`, ...waitOptions }, async () =>
    (await ask('GET', `${pods}/${name}`)).status === 404 ? true : undefined,
  );
}

async function getPod(ask: CallApi, name: string): Promise<LabPod> {
  const { status, body } = await ask('GET', `${pods}/${name}`);
  if (status !== 200) throw new Error(`pod ${name}: ${String(status)} ${JSON.stringify(body)}`);
  return body as LabPod;
}

async function eventsOf(ask: CallApi, { metadata }: LabPod): Promise<readonly Event[]> {
  const selector = encodeURIComponent(`involvedObject.uid=${metadata.uid}`);
  const { body } = await ask('GET', `/api/v1/namespaces/default/events?fieldSelector=${selector}`);
  return (body as { readonly items: readonly Event[] }).items;
}

function manifestOf(options: PodOptions): object {
  const tolerations = options.tolerant === true ? [{ operator: 'Exists' }] : [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: options.name },
    spec: {
      hostNetwork: options.hostNetwork ?? false,
      serviceAccountName: options.serviceAccount ?? 'default',
      terminationGracePeriodSeconds: 0,
      tolerations,
      containers: [{ name: 'main', image: options.image, imagePullPolicy: 'IfNotPresent', ...options.container }],
      ...options.spec,
    },
  };
}
