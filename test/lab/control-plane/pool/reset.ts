import { isApiReady } from '../readiness.ts';
import type { ControlPlane } from '../control-plane.ts';
import { readObjects, writeObjects } from './stored-objects.ts';
import type { StoredObjects } from './stored-objects.ts';

/** Brings a control plane back to what it was, or throws. */
export type ResetState = () => Promise<void>;

/** Objects that the API server itself creates and changes. */
const ownedByApiServer = [
  'leases/kube-system/apiserver-',
  'peerserverleases/',
  'apiregistration.k8s.io/',
  'flowschemas/',
  'prioritylevelconfigurations/',
  'servicecidrs/kubernetes',
  'services/specs/default/kubernetes',
  'ipaddresses/10.96.0.1',
].map((key) => `/registry/${key}`);

/** The API server applies these for up to a second after their deletion, and that is not visible from outside. */
const slowToGo = '/registry/validatingadmissionpolic';

/** By way of etcd, where finalizers, grace periods and controllers that do not run hold up nothing. */
export async function snapshotState(plane: ControlPlane): Promise<ResetState> {
  const before = await readObjects(plane.directory);
  return async () => {
    const changes = changesBetween(await readObjects(plane.directory), before);
    const slow = changes.find(([key]) => key.startsWith(slowToGo));
    if (slow !== undefined) throw new Error(`${slow[0]} was changed, which the API server notices late`);
    await writeObjects(plane.directory, changes);
    const [left] = changesBetween(await readObjects(plane.directory), before);
    if (left !== undefined) throw new Error(`${left[0]} is changed again`);
    if (!(await isApiReady(plane.ask))) throw new Error('the API server is not ready');
  };
}

/** What leads from one to the other. */
function changesBetween(
  now: StoredObjects,
  wanted: StoredObjects,
): readonly (readonly [key: string, value: string | undefined])[] {
  const keys = new Set([...now.keys(), ...wanted.keys()]);
  return [...keys]
    .filter((key) => now.get(key) !== wanted.get(key) && !ownedByApiServer.some((own) => key.startsWith(own)))
    .map((key) => [key, wanted.get(key)]);
}
