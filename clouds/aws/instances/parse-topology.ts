import { child, itemsOf, readXml, textAt } from './xml.ts';
import type { XmlElement } from './xml.ts';

export interface TopologyPage {
  /** By instance id, from the outermost layer in. */
  readonly layers: ReadonlyMap<string, readonly string[]>;
  readonly nextToken: string | undefined;
}

const names = new Set(
  'DescribeInstanceTopologyResponse instanceSet item instanceId networkNodeSet nextToken'.split(' '),
);

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTopology.html; `undefined`: it is not that. */
export function parseTopologyPage(xml: string): TopologyPage | undefined {
  const root = readXml(xml, names);
  if (root?.name !== 'DescribeInstanceTopologyResponse' || child(root, 'instanceSet') === undefined) return undefined;
  const layers = itemsOf(root, 'instanceSet').flatMap(fromItem);
  return { layers: new Map(layers), nextToken: textAt(root, 'nextToken') };
}

function fromItem(item: XmlElement): readonly (readonly [string, readonly string[]])[] {
  const instanceId = textAt(item, 'instanceId');
  const nodes = itemsOf(item, 'networkNodeSet').map(({ text }) => text);
  return instanceId === undefined ? [] : [[instanceId, nodes]];
}
