import { waitUntil } from '../../test/lab/control-plane/wait-until.ts';
import type { ControllerFixture } from './fixture.ts';
import type { Replica } from '../harness/replica.ts';

const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager';
const withinMs = 60_000;

/** Who leads; the lease has the same name for all contenders. */
export async function leaseHolder({ plane }: ControllerFixture): Promise<string | undefined> {
  const { status, body } = await plane.ask('GET', path);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`the lease cannot be read: ${String(status)}`);
  const { holderIdentity } = (body as { readonly spec: { readonly holderIdentity?: string } }).spec;
  return holderIdentity === '' ? undefined : holderIdentity;
}

/** Waits for a leader: this replica, if it is the only one. */
export async function waitForLeader(fixture: ControllerFixture, replica: Replica): Promise<string> {
  return waitUntil({ what: 'a replica leads', withinMs, everyMs: 50 }, async () => {
    await replica.check();
    return leaseHolder(fixture);
  });
}
