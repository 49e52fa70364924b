import { KubernetesError } from '../../../../lib/kubernetes/kubernetes-error.ts';
import type { KubernetesErrorKind } from '../../../../lib/kubernetes/kubernetes-error.ts';
import type { LeaseDeps } from '../../../../node-agent/install/restart/install-lease.ts';
import type { Lease } from '../../../../schemas/kubernetes.ts';

/** One Lease at an API server, with its versions and merge patches. */
export interface LeaseApi {
  readonly client: LeaseDeps['client'];
  lease: Lease | undefined;
  /** As another client would. */
  change(annotations: Readonly<Record<string, string | null>>, spec?: Lease['spec']): void;
  /** Each request fails while it is set. */
  failure: KubernetesErrorKind | undefined;
}

export function createLeaseApi(): LeaseApi {
  let version = 0;
  const api: LeaseApi = { client: undefined as never, lease: undefined, failure: undefined, change };

  function change(annotations: Readonly<Record<string, string | null>>, spec: Lease['spec'] = {}): void {
    const before = api.lease;
    const merged = { ...before?.metadata.annotations, ...annotations };
    const kept = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null);
    version += 1;
    const names = { name: 'polycloud-install', namespace: 'kube-system', uid: 'lease', creationTimestamp: '' };
    const metadata = { ...names, resourceVersion: String(version), annotations: Object.fromEntries(kept) };
    api.lease = { metadata, spec: { ...before?.spec, ...spec } };
  }

  function answer(): Lease {
    if (api.failure !== undefined) throw error(api.failure);
    if (api.lease === undefined) throw error('not-found');
    return api.lease;
  }

  const client = {
    get: () => Promise.resolve().then(answer),
    create: (_: unknown, draft: Pick<Lease, 'spec'> & { metadata: Partial<Lease['metadata']> }) =>
      Promise.resolve().then(() => {
        if (api.failure === undefined && api.lease !== undefined) throw error('already-exists');
        if (api.failure === undefined) change(draft.metadata.annotations ?? {}, draft.spec);
        return answer();
      }),
    patch: (_: unknown, ref: { resourceVersion: string }, { body }: { body: Lease }) =>
      Promise.resolve().then(() => {
        const { metadata } = answer();
        if (metadata.resourceVersion !== ref.resourceVersion) throw error('conflict');
        change(body.metadata.annotations ?? {}, body.spec);
        return answer();
      }),
  };
  return Object.assign(api, { client: client as unknown as LeaseDeps['client'] });
}

function error(kind: KubernetesErrorKind): KubernetesError {
  return new KubernetesError(kind, `the lease: ${kind}`, { remedy: 'look' });
}
