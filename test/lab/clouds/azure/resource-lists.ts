import { computerNamePrefix, documentsOf, withState } from './resource-documents.ts';
import type { ResourceDocument, ResourceDocuments } from './resource-documents.ts';
import type { ResourceManagerState } from './virtual-machine.ts';

interface ListKind {
  /** The path of the list and the ids of its resources, in lower case. */
  readonly path: RegExp;
  idPattern(list: string): RegExp;
}

const group = String.raw`/resourcegroups/[^/]+`;
const scaleSet =
  /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+\/providers\/microsoft\.compute\/virtualmachinescalesets\/[^/]+/;

/**
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/list-all
 * https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/list-all
 * https://learn.microsoft.com/rest/api/virtualnetwork/public-ip-addresses/list-all
 * https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-set-vms/list
 * https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/list-virtual-machine-scale-set-network-interfaces
 * https://learn.microsoft.com/rest/api/virtualnetwork/public-ip-addresses/list-virtual-machine-scale-set-public-ip-addresses
 */
const kinds: readonly ListKind[] = [
  ...[
    'microsoft.compute/virtualmachines',
    'microsoft.compute/virtualmachinescalesets',
    'microsoft.network/networkinterfaces',
    'microsoft.network/publicipaddresses',
  ].map((type) => ({
    path: new RegExp(`^/subscriptions/[^/]+(?:${group})?/providers/${type}$`),
    idPattern: (list: string) => {
      const scope = list.replace(/\/providers\/.*$/, '');
      return new RegExp(`^${scope}${scope.includes('/resourcegroups/') ? '' : group}/providers/${type}/[^/]+$`);
    },
  })),
  ...['virtualmachines', 'networkinterfaces', 'publicipaddresses'].map((type) => ({
    path: new RegExp(`${scaleSet.source}/${type}$`),
    idPattern: (list: string) => {
      const set = list.slice(0, list.lastIndexOf('/'));
      return new RegExp(`^${set}/virtualmachines/${type === 'virtualmachines' ? '' : `.*/${type}/`}[^/]+$`);
    },
  })),
];

export interface ResourceListQuery {
  /** In lower case. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly host: string;
}

/** `undefined`: it is not a list. */
export function listAt({ path, query, host }: ResourceListQuery, state: ResourceManagerState): object | undefined {
  const kind = kinds.find((each) => each.path.test(path));
  if (kind === undefined) return undefined;
  const pattern = kind.idPattern(path);
  const set = flexibleSetIn(query);
  const visible = state.machines.filter(
    ({ id, flexibleSet }) =>
      !state.leftOutOfLists.includes(id) && (set === undefined || flexibleSet?.toLowerCase() === set),
  );
  const documents = [...visible.flatMap((machine) => [...documentsOf(machine)]), ...scaleSetDocuments(state)];
  const found = documents.filter(([id]) => pattern.test(id));
  const start = Number(query.get('$skiptoken') ?? 0);
  const end = start + state.pageSize;
  const value = found.slice(start, end).map(([, document]) => shown(document, query, state));
  if (end >= found.length) return { value };
  const next = new URLSearchParams([...query].filter(([name]) => name !== '$skiptoken'));
  next.set('$skiptoken', String(end));
  return { value, nextLink: `https://${host}${path}?${next.toString()}` };
}

/** The one filter that a list of machines takes: https://learn.microsoft.com/rest/api/compute/virtual-machines/list */
function flexibleSetIn(query: URLSearchParams): string | undefined {
  return /^'virtualMachineScaleSet\/id' eq '?([^']+)'?$/i.exec(query.get('$filter') ?? '')?.[1]?.toLowerCase();
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-sets/get. A machine's name begins with its set's. */
export function scaleSetDocuments({ machines }: ResourceManagerState): ResourceDocuments {
  return new Map(
    [...scaleSetsOf(machines)].map(([id, orchestrationMode]) => {
      const virtualMachineProfile = { osProfile: { computerNamePrefix: computerNamePrefix(id) } };
      const document: ResourceDocument = {
        id,
        name: id.split('/').at(-1),
        type: 'Microsoft.Compute/virtualMachineScaleSets',
        location: 'westeurope',
        properties: { provisioningState: 'Succeeded', orchestrationMode, virtualMachineProfile },
      };
      return [id.toLowerCase(), () => document] as const;
    }),
  );
}

type OrchestrationMode = 'Uniform' | 'Flexible';

/** Those that have machines, by id, with their orchestration mode. */
export function scaleSetsOf(machines: ResourceManagerState['machines']): ReadonlyMap<string, OrchestrationMode> {
  return new Map(
    machines.flatMap(({ id, flexibleSet }): (readonly [string, OrchestrationMode])[] => {
      const uniformSet = /^.*\/virtualMachineScaleSets\/[^/]+/.exec(id)?.[0];
      if (uniformSet !== undefined) return [[uniformSet, 'Uniform'] as const];
      return flexibleSet === undefined ? [] : [[flexibleSet, 'Flexible'] as const];
    }),
  );
}

/** A list of machines has their state only if that is asked for, and then nothing else in the first case. */
function shown(
  document: (expand: string) => ResourceDocument,
  query: URLSearchParams,
  { faultDomainsInLists }: ResourceManagerState,
): ResourceDocument {
  const isStatusOnly = query.get('statusOnly') === 'true';
  const { properties = {}, ...rest } = document(isStatusOnly ? withState : (query.get('$expand') ?? ''));
  const { platformFaultDomain, ...view } = (properties['instanceView'] ?? {}) as ResourceDocument;
  const instanceView = { ...view, ...(faultDomainsInLists && { platformFaultDomain }) };
  const { provisioningState } = properties;
  if (isStatusOnly) return { ...rest, properties: { provisioningState, instanceView } };
  return { ...rest, properties: { ...properties, ...('instanceView' in properties && { instanceView }) } };
}
