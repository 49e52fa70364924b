import { isIP } from 'node:net';
import type { GcpInstanceDescription, GcpNetworkInterface } from '../instance.ts';
import { formats } from '../provider-id.ts';
import { AggregatedInstances, ComputeInstance } from '../schemas.ts';

/** An instance in the project that was asked. */
export interface GcpDescribedInstance extends GcpInstanceDescription {
  readonly status: string;
}

export interface GcpInstancePage {
  readonly instances: readonly GcpDescribedInstance[];
  readonly nextPageToken: string | undefined;
  readonly unread: UnreadZones;
}

/** Zones whose instances are not all in the list. `all`: it is not known which. */
export type UnreadZones = ReadonlySet<string> | 'all';

/** `undefined`: it is no such response. */
export function parseInstance(json: unknown, project: string): GcpDescribedInstance | undefined {
  const parsed = ComputeInstance.safeParse(json);
  return parsed.success ? toDescribed(parsed.data, project) : undefined;
}

/**
 * `undefined`: it is no such response. An instance that cannot be read is left out, so it is looked up by its name.
 */
export function parseInstancePage(json: unknown, project: string): GcpInstancePage | undefined {
  const parsed = AggregatedInstances.safeParse(json);
  if (!parsed.success) return undefined;
  const { items = {}, nextPageToken } = parsed.data;
  return {
    instances: Object.values(items).flatMap(({ instances = [] }) =>
      instances.flatMap((each) => parseInstance(each, project) ?? []),
    ),
    nextPageToken: nextPageToken === '' ? undefined : nextPageToken,
    unread: unreadZones(parsed.data),
  };
}

/**
 * Zones are named in `unreachables`, or by a warning of their own. A warning for the whole response, or a name that is
 * not a zone's, can be about any of them.
 */
function unreadZones({ items = {}, unreachables = [], warning }: AggregatedInstances): UnreadZones {
  const warned = Object.entries(items).flatMap(([scope, each]) => (isPartial(each.warning) ? [scope] : []));
  const zones = [...unreachables, ...warned].map((scope) => lastPart(scope, zonePattern));
  const isNamed = zones.length > 0 && !zones.includes(undefined);
  if (zones.length > 0 && !isNamed) return 'all';
  if (isPartial(warning) && !isNamed) return 'all';
  return new Set(zones.filter((zone) => zone !== undefined));
}

const emptyPage = /^NO_RESULTS_ON_PAGE$/;

/** An empty zone has a warning too. */
function isPartial(warning: { readonly code?: string | undefined } | undefined): boolean {
  return warning !== undefined && !emptyPage.test(warning.code ?? '');
}

const zonePattern = new RegExp(`(?:^|/)zones/(?<value>${formats.zone})$`);
const machineTypePattern = new RegExp(`(?:^|/)machineTypes/(?<value>${formats.machineType})$`);
const namePattern = new RegExp(`^(?<value>${formats.name})$`);

function toDescribed(data: ComputeInstance, project: string): GcpDescribedInstance | undefined {
  const zone = lastPart(data.zone, zonePattern);
  const machineType = lastPart(data.machineType, machineTypePattern);
  const name = lastPart(data.name, namePattern);
  const interfaces = (data.networkInterfaces ?? []).map(toInterface);
  if (zone === undefined || machineType === undefined || name === undefined) return undefined;
  if (!interfaces.every(hasValidAddresses)) return undefined;
  return { project, zone, name, instanceId: data.id, machineType, status: data.status, interfaces };
}

type ComputeInterface = NonNullable<ComputeInstance['networkInterfaces']>[number];

/** An external IPv6 address is the interface's only one, as the metadata server shows it. */
function toInterface({
  networkIP,
  ipv6Address,
  ipv6AccessConfigs = [],
  accessConfigs = [],
  aliasIpRanges = [],
}: ComputeInterface): GcpNetworkInterface {
  const ipv6 = ipv6Address || ipv6AccessConfigs.find(({ externalIpv6 }) => externalIpv6)?.externalIpv6;
  return {
    internal: present([networkIP, ipv6]),
    external: present(accessConfigs.map(({ natIP }) => natIP)),
    aliasRanges: present(aliasIpRanges.map(({ ipCidrRange }) => ipCidrRange)),
  };
}

function hasValidAddresses({ internal, external }: GcpNetworkInterface): boolean {
  return [...internal, ...external].every((address) => isIP(address) !== 0);
}

function present(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.flatMap((text) => text || []);
}

/** Google names resources by URLs; their host and version differ. */
function lastPart(text: string, pattern: RegExp): string | undefined {
  return pattern.exec(text)?.groups?.['value'];
}
