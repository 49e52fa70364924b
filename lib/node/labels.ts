import { wellKnown } from '../../schemas/keys.ts';
import type { Instance } from '../../clouds/cloud.ts';

export type NodeLabels = Readonly<Record<string, string>>;

/** The API server refuses a whole patch for one invalid label value. */
const valuePattern = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/;
/** Keys of Kubernetes are set only here; further labels of a cloud must not use them. */
const reservedKey = /(?:^|\.)(?:kubernetes|k8s)\.io\//;

/** The labels that an instance's Node should have: Kubernetes' stable and beta labels, and those of the cloud. */
export function labelsFor({ type, zone, region, labels, unread }: Instance): NodeLabels {
  const read = unread?.includes('labels') === true ? {} : labels;
  const cloudLabels = Object.entries(read).filter(([key]) => !reservedKey.test(key));
  const desired = [
    ...labelEntries(wellKnown.instanceType, type),
    ...labelEntries(wellKnown.zone, zone),
    ...labelEntries(wellKnown.region, region),
    ...cloudLabels,
  ];
  return Object.fromEntries(desired.filter(([, value]) => valuePattern.test(value)));
}

function labelEntries(keys: readonly string[], value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined || value === '' ? [] : keys.map((key) => [key, value] as const);
}

/** The labels or annotations that are missing or have another value. `undefined`: none. */
export function entriesToSet(desired: NodeLabels, current: NodeLabels): NodeLabels | undefined {
  const changed = Object.entries(desired).filter(([key, value]) => current[key] !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
