import type { Node, Taint } from '../../schemas/kubernetes.ts';
import type { NodePatch } from './plan.ts';

/** What a patch changes on a Node, one sentence for each change. */
export function describeChanges(node: Node, { metadata, spec, status }: NodePatch): readonly string[] {
  const addresses = status?.addresses.map(({ type, address }) => `${type}=${address}`);
  return [
    ...(addresses === undefined ? [] : [`set addresses ${addresses.join(', ')}`]),
    ...describeEntries('label', metadata.labels),
    ...describeEntries('annotation', metadata.annotations),
    ...(spec?.providerID === undefined ? [] : [`set providerID ${spec.providerID}`]),
    ...(spec?.taints === undefined ? [] : describeTaints(node.spec.taints ?? [], spec.taints)),
  ];
}

function describeEntries(kind: string, entries: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.entries(entries).map(([key, value]) => `set ${kind} ${key}=${value}`);
}

export function describeTaints(before: readonly Taint[], after: readonly Taint[]): readonly string[] {
  const [had, has] = [new Set(before.map(taintText)), new Set(after.map(taintText))];
  return [
    ...[...has].filter((taint) => !had.has(taint)).map((taint) => `add taint ${taint}`),
    ...[...had].filter((taint) => !has.has(taint)).map((taint) => `remove taint ${taint}`),
  ];
}

/** As kubectl writes it. */
function taintText({ key, value, effect }: Taint): string {
  return value === undefined || value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}
