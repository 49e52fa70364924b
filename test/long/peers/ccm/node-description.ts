import type { Node } from '../../../../schemas/kubernetes.ts';

/** What a cloud's programs write to a Node, by names. */
export type NodeDescription = Readonly<Record<string, string>>;

const labelPattern = /^(?:topology\.|node\.kubernetes\.io\/|beta\.kubernetes\.io\/|failure-domain\.)/;

export function describeNode({ metadata, spec, status }: Node): NodeDescription {
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => labelPattern.test(key));
  const types = new Set((status.addresses ?? []).map(({ type }) => type));
  // Of one type the first address counts, so their order is compared too.
  const addresses = [...types].map((of) => {
    const own = (status.addresses ?? []).filter(({ type }) => type === of);
    return [of, own.map(({ address }) => address).join(', ')] as const;
  });
  return { providerID: spec.providerID ?? '', ...Object.fromEntries([...labels, ...addresses]) };
}

/** `name: theirs | ours`, for each name with another value. */
export function differencesBetween(theirs: NodeDescription, ours: NodeDescription): readonly string[] {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].toSorted();
  return names.flatMap((name) => {
    const [one = 'absent', other = 'absent'] = [theirs[name], ours[name]];
    return one === other ? [] : [`${name}: ${one} | ${other}`];
  });
}
