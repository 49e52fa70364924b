import type { Node } from '../../../schemas/kubernetes.ts';
import type { CallApi } from '../control-plane/api.ts';

export interface InitialNodeState {
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly providerId: string;
}

/** By hand, for tests without a controller or agent. */
export async function initialiseNode(
  ask: CallApi,
  { hostname, addresses, providerId }: InitialNodeState,
): Promise<void> {
  const path = `/api/v1/nodes/${hostname}`;
  const internal = addresses.map((address) => ({ type: 'InternalIP', address }));
  const status = { addresses: [...internal, { type: 'Hostname', address: hostname }] };
  await patch(ask, `${path}/status`, { status });
  const { spec } = (await ask('GET', path)).body as Node;
  const taints = (spec.taints ?? []).filter(({ key }) => key !== uninitialized);
  await patch(ask, path, { spec: { providerID: providerId, taints } });
}

export const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized';

async function patch(ask: CallApi, path: string, body: object): Promise<void> {
  const { status, body: said } = await ask('PATCH', path, body);
  if (status !== 200) throw new Error(`PATCH ${path}: ${String(status)} ${JSON.stringify(said)}`);
}
