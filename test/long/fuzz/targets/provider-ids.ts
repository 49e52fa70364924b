import { isDeepStrictEqual } from 'node:util';
import { formatProviderId, parseProviderId } from '../../../../clouds/aws/provider-id.ts';
import { clouds } from '../../../../clouds/index.ts';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import { ownershipOf } from '../../../../ccm/node-controller/ownership.ts';
import type { CloudScope, EnabledCloud } from '../../../../ccm/node-controller/ownership.ts';
import { printable } from '../../../../lib/printable.ts';
import { defaultConfig } from '../../../../schemas/config/defaults.ts';
import { keys } from '../../../../schemas/keys.ts';
import type { Random } from '../../../support/random.ts';
import { mutateText } from '../../generated/mutate.ts';
import { oddText } from '../../generated/odd-values.ts';
import type { FuzzTarget, FuzzCase } from '../target.ts';

const host = {
  readText: async () => undefined,
  runCommand: () => Promise.reject(new Error('no')),
  homeDirectory: '/nowhere',
};
const config = { ...defaultConfig, static: { inventoryFile: '/etc/lab/inventory.yaml' } };
const enabled: readonly EnabledCloud[] = (
  await Promise.all(
    clouds.map(async (cloud) => ({
      name: cloud.name,
      instances: (await cloud.load({ env: { AWS_REGION: 'us-west-2' }, host }, config)).instances,
    })),
  )
).flatMap(({ name, instances }) => (instances === undefined ? [] : [{ name, instances }]));

/** As kubelets and other controllers write them, and then changed in one place. */
const forms: readonly ((random: Random) => string)[] = [
  (random) => `aws:///${random.pick(zones)}/i-${hex(random, 17)}`,
  (random) => `aws:////i-${hex(random, 8)}`,
  (random) => `i-${hex(random, random.pick([8, 17]))}`,
  (random) => `aws:///${random.pick(zones)}/${hex(random, 8)}/fargate-ip-10-0-0-1.us-west-2.compute.internal`,
  (random) => `gce://lab-project/us-west1-a/node-${hex(random, 4)}`,
  (random) =>
    `azure:///subscriptions/${hex(random, 8)}/resourceGroups/lab/providers/Microsoft.Compute/virtualMachines/node`,
  (random) => `static://node-${hex(random, 4)}`,
  (random) => `openstack://${random.pick(['', 'RegionOne'])}/${hex(random, 8)}-0000-4000-8000-${hex(random, 12)}`,
  (random) => `digitalocean://${random.pick(['1', '3164494'])}`,
  (random) => `kind://docker/lab/${hex(random, 4)}`,
];
const zones = ['us-west-2a', 'us-west-2-lax-1a', 'us-west-2-wl1-las-wlz-1', 'cn-north-1b', 'moon-1a', 'usw2-az1'];

function hex(random: Random, length: number): string {
  return random.characters('0123456789abcdef', length);
}

function facts(random: Random): NodeFacts & { readonly providerId: string } {
  const good = random.pick(forms)(random);
  const providerId = random.pickWeighted([
    [4, good],
    [4, mutateText(random, good)],
    [1, `${random.pick(['aws:///', 'azure:///', 'gce://', 'static://', 'aws://', 'AWS:///'])}${oddText(random)}`],
    [1, oddText(random)],
  ]);
  const region = random.pick([undefined, 'us-west-2', 'eu-central-1', 'moon', oddText(random)]);
  const owner = random.chance(0.1)
    ? random.pick(['false', 'aws', 'azure', 'gcp', 'static', 'nobody', oddText(random)])
    : undefined;
  const labels = {
    ...(region !== undefined && { 'topology.kubernetes.io/region': region }),
    ...(owner !== undefined && { [keys.ownership]: owner }),
  };
  return { uid: 'uid', name: 'node', providerId, nodeIps: [], labels };
}

interface ProviderIdParser {
  readonly ownership: typeof ownershipOf;
  readonly parse: typeof parseProviderId;
}

const caseWith =
  ({ ownership, parse }: ProviderIdParser): FuzzCase =>
  (random) => {
    const node = facts(random);
    const found = ownership(node, enabled);
    const problems =
      found.kind === 'ours' ? checkClaims(found.cloudScopes, node.providerId) : checkReason(found.reason);
    return {
      end: found.kind === 'ours' ? `ours: ${found.cloudScopes[0]?.cloud.name ?? ''}` : found.kind,
      problems: [...problems, ...checkParts(node.providerId, parse)].map(
        (problem) => `${JSON.stringify(node.providerId.slice(0, 200))}: ${problem}`,
      ),
    };
  };

/** Safe in metrics and logs, and without an account of AWS. Azure's keys are hashes, which can have digits alone. */
const scopeForm = /^(?!aws.*\d{12})[a-z]+(?:\/[a-z0-9-]{1,64})?$/;

/** It belongs to one cloud, the one of its scheme. */
function checkClaims(claims: readonly CloudScope[], providerId: string): readonly string[] {
  const names = new Set(claims.map(({ cloud }) => cloud.name));
  const byScheme = new Set([cloudByScheme(providerId)]);
  const isRight = providerId === '' || isDeepStrictEqual(names, byScheme);
  const oddKeys = claims.map(({ scope }) => scope.key).filter((key) => !scopeForm.test(key));
  return [
    ...(isRight ? [] : [`claimed by ${[...names].join(' and ')}`]),
    ...(oddKeys.length === 0 ? [] : [`a scope is called ${JSON.stringify(oddKeys)}`]),
  ];
}

/** It is shown where people read. */
function checkReason(why: string): readonly string[] {
  return why === '' || /[\n\u2028]/.test(printable(why)) ? ['no reason of one line'] : [];
}

/** By another reading. */
function cloudByScheme(providerId: string): string | undefined {
  if (/^i-[0-9a-f]+$/.test(providerId)) return 'aws';
  if (providerId.split('://', 2)[0] === 'static') return 'static';
  const scheme = providerId.split(':', 2)[0] ?? '';
  return { aws: 'aws', azure: 'azure', digitalocean: 'digitalocean', gce: 'gcp', openstack: 'openstack' }[scheme];
}

/** Printed and read again it is the same; nothing but the id and its zone is taken from it. */
function checkParts(providerId: string, parse: ProviderIdParser['parse']): readonly string[] {
  const parsed = parse(providerId);
  if (parsed.is !== 'instance') {
    return [];
  }
  const { instanceId, zone } = parsed;
  const again = parse(formatProviderId(instanceId, zone));
  const [lastButOne, last] = ['', ...providerId.split('/')].slice(-2);
  const isWhole = last === instanceId && (zone === undefined || lastButOne === zone);
  return [
    ...(isDeepStrictEqual(again, parsed) ? [] : ['another one when it is written again']),
    ...(isWhole && /^[\w-]{1,70}$/.test(instanceId) ? [] : [`read as ${instanceId} in ${zone ?? 'no zone'}`]),
  ];
}

const real: ProviderIdParser = { ownership: ownershipOf, parse: parseProviderId };

export const providerIds: FuzzTarget = {
  name: 'providerIDs',
  runCase: caseWith(real),
  ends: [
    'ours: aws',
    'ours: azure',
    'ours: digitalocean',
    'ours: gcp',
    'ours: openstack',
    'ours: static',
    'foreign',
    'unmanaged',
  ],
  planted: {
    'the scheme does not matter': caseWith({
      ...real,
      ownership: (node, list) =>
        ownershipOf({ ...node, providerId: (node.providerId ?? '').replace(/^[a-z]+:/, 'aws:') }, list),
    }),
    'what stands behind the id is cut off': caseWith({
      ...real,
      parse: (text) => parseProviderId(text.replace(/[^\w-]+$/, '')),
    }),
    'the zone is lost': caseWith({
      ...real,
      parse: (text) => parseProviderId(/^aws:\/\/\/us-west-2a\/i-\w+$/.test(text) ? text.replace('2a', '2b') : text),
    }),
  },
};
