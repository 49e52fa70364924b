import { isDeepStrictEqual } from 'node:util';
import { parseInstancePage } from '../../../../clouds/aws/instances/parse.ts';
import type { InstancePage } from '../../../../clouds/aws/instances/parse.ts';
import { readXml } from '../../../../clouds/aws/instances/xml.ts';
import type { XmlElement } from '../../../../clouds/aws/instances/xml.ts';
import { ec2Response } from '../../../lab/clouds/aws/ec2-protocol.ts';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import { stateCodes } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { reservationOf } from '../../../lab/clouds/aws/ec2-reservation.ts';
import type { Random } from '../../../support/random.ts';
import { mutateText } from '../../generated/mutate.ts';
import type { FuzzTarget, FuzzCase } from '../target.ts';
import { refusalCase, metadataCase, textOf } from './cloud-texts.ts';

const names = new Set(['a', 'b', 'list', 'item']);

/** XML: what was written is read, without what is not wanted; what is cut off is not read at all. */
const xmlCase =
  (read: typeof readXml): FuzzCase =>
  (random) => {
    if (random.chance(0.02)) {
      return { end: read(random.pick(hugeXml), names) === undefined ? 'no XML' : 'XML', problems: [] };
    }
    const tree = makeTree(random, 0);
    const text = `${random.pick(['', '<?xml version="1.0"?>\n'])}${printTree(tree)}`;
    const spoilt = mutateText(random, text);
    const result = plain(read(spoilt, names));
    const again = result === undefined ? undefined : plain(read(printTree(result), names));
    return {
      end: result === undefined ? 'no XML' : 'XML',
      problems: [
        ...(isDeepStrictEqual(plain(read(text, names)), expectedTree(tree)) ? [] : [`read as something else: ${text}`]),
        ...(isDeepStrictEqual(again, result) ? [] : [`read again it differs: ${spoilt.slice(0, 1_000)}`]),
        ...checkCuts(text, random, (part) => read(part, names)),
      ],
    };
  };

/** Each would take very long if time grew with the square of the length. */
const hugeXml: readonly string[] = [
  '<a>'.repeat(300_000),
  `<a>${'<b/>'.repeat(250_000)}</a>`,
  `<a>${'&amp'.repeat(250_000)}</a>`,
  `<a ${'x="1" '.repeat(150_000)}/>`,
  `<a>${' '.repeat(1_000_000)}</a>`,
  '<'.repeat(1_000_000),
];

function makeTree(random: Random, depth: number): XmlElement {
  const count = depth > 3 ? 0 : random.between(0, 3);
  const children = Array.from({ length: count }, () => makeTree(random, depth + 1));
  const name = depth === 0 ? 'a' : random.pick(['a', 'b', 'list', 'item', 'unwanted']);
  const text = random.pickWeighted([
    [4, random.characters('ab1', 5)],
    [2, random.characters('<>&"\' é', 4)],
    [1, '&amp;#60;'],
  ]);
  return { name, text: children.length > 0 ? '' : text.trim(), children };
}

/** Without what the reader needs for itself. */
function plain(element: XmlElement | undefined): XmlElement | undefined {
  return element && expectedTree(element);
}

function printTree({ name, text, children }: XmlElement): string {
  const inside = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<${name}>${inside}${children.map(printTree).join('')}</${name}>`;
}

function expectedTree({ name, text, children }: XmlElement): XmlElement {
  return { name, text, children: children.filter((each) => names.has(each.name)).map(expectedTree) };
}

function checkCuts(text: string, random: Random, read: (part: string) => unknown): readonly string[] {
  const end = random.between(0, text.length - 1);
  return read(text.slice(0, end)) === undefined
    ? []
    : [`read although it was cut off after ${end} of ${text.length}: ${text.slice(0, 1_000)}`];
}

/** Instances as the embedded EC2 writes them. A page that is cut off would be a page from which instances are missing. */
const instancesCase =
  (parse: typeof parseInstancePage): FuzzCase =>
  (random) => {
    const instances = makeInstances(random);
    const text = ec2Response('DescribeInstances', { reservationSet: instances.map(reservationOf) }).body;
    const spoilt = parse(mutateText(random, text));
    const isWhole = (spoilt?.instances ?? []).every(({ instanceId, state }) => instanceId !== '' && state !== '');
    return {
      end: spoilt === undefined ? 'no page' : 'page',
      problems: [
        ...(hasAll(parse(text), instances) ? [] : [`the page is read as something else: ${text.slice(0, 2_000)}`]),
        ...(isWhole ? [] : ['an instance without id or state']),
        ...checkCuts(text, random, parse),
      ],
    };
  };

function makeInstances(random: Random): readonly Ec2Instance[] {
  const fleet = fleetOf({
    count: random.between(0, 4),
    region: 'us-west-2',
    zoneLetters: ['a', 'b'],
    accountId: '123456789012',
    launchedAtMs: 0,
    number: random.between(0, 99),
  });
  const states = Object.keys(stateCodes) as readonly Ec2Instance['state'][];
  return Object.values(fleet).map((instance) => ({
    ...instance,
    state: random.pick(states),
    tags: random.chance(0.5) ? { 'a<b>&': 'i-00000000000000000</item>' } : {},
  }));
}

function hasAll(page: InstancePage | undefined, instances: readonly Ec2Instance[]): boolean {
  const read = page?.instances.map(({ instanceId, state, zone, interfaces }) => [
    instanceId,
    state,
    zone,
    interfaces.flatMap(({ ipv4 }) => ipv4),
  ]);
  const made = instances.map(({ instanceId, state, zone, interfaces }) => [
    instanceId,
    state,
    zone,
    state === 'terminated' ? [] : interfaces.flatMap(({ privateIps }) => privateIps),
  ]);
  return isDeepStrictEqual(read, made);
}

const real: readonly FuzzCase[] = [
  xmlCase(readXml),
  instancesCase(parseInstancePage),
  refusalCase((refusal, response) => refusal(response)),
  metadataCase((self) => self),
];

export const cloudResponses: FuzzTarget = {
  name: 'XML and JSON of clouds',
  runCase: (random) => random.pick(real)(random),
  ends: ['XML', 'no XML', 'page', 'no page', 'refusal', 'description', 'no description'],
  planted: {
    'elements that are open at the end are closed': xmlCase(
      (xml, list) => readXml(xml, list) ?? readXml(`${xml}</a>`, list),
    ),
    'a page that is cut off is an empty one': instancesCase(
      (xml) => parseInstancePage(xml) ?? { instances: [], nextToken: undefined },
    ),
    'the cloud is quoted': refusalCase((refusal, response) => {
      const failure = refusal(response);
      failure.message += ` (${textOf(response)})`;
      return failure;
    }),
    'addresses are not looked at': metadataCase((self) => ({ ...self, addresses: [...self.addresses, ''] })),
  },
};
