import { computerNamePrefix, documentsOf } from './resource-documents.ts';
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
  {
    path: /^\/subscriptions\/[^/]+(?:\/resourcegroups\/[^/]+)?\/providers\/microsoft\.compute\/virtualmachinescalesets$/,
    idPattern: () => /^$/,
  },
  {
    path: new RegExp(`^/subscriptions/[^/]+${group}/providers/microsoft.compute/virtualmachines$`),
    idPattern: (list: string) => new RegExp(`^${list}/[^/]+$`),
  },
  ...[
    'microsoft.compute/virtualmachines',
    'microsoft.network/networkinterfaces',
    'microsoft.network/publicipaddresses',
  ].map((type) => ({
    path: new RegExp(`^/subscriptions/[^/]+/providers/${type}$`),
    idPattern: (list: string) =>
      new RegExp(`^${list.replace(/\/providers\/.*$/, '')}${group}/providers/${type}/[^/]+$`),
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
  if (path.endsWith('/virtualmachinescalesets')) return { value: scaleSetsIn(path, state) };
  const pattern = kind.idPattern(path);
  const visible = state.machines.filter(({ id }) => !state.leftOutOfLists.includes(id));
  const found = visible.flatMap((machine) => [...documentsOf(machine)]).filter(([id]) => pattern.test(id));
  const start = Number(query.get('$skiptoken') ?? 0);
  const end = start + state.pageSize;
  const value = found.slice(start, end).map(([, document]) => shown(document(false), query));
  if (end >= found.length) return { value };
  const next = new URLSearchParams([...query].filter(([name]) => name !== '$skiptoken'));
  next.set('$skiptoken', String(end));
  return { value, nextLink: `https://${host}${path}?${next.toString()}` };
}

/** Of the subscription or of a group. A machine's name begins with that of its set. */
function scaleSetsIn(list: string, { machines }: ResourceManagerState): readonly object[] {
  const within = `${list.replace(/\/providers\/.*$/, '')}/`;
  return [...scaleSetsOf(machines)]
    .filter(([id]) => id.toLowerCase().startsWith(within))
    .map(([id, orchestrationMode]) => {
      const osProfile = { computerNamePrefix: computerNamePrefix(id) };
      return {
        id,
        name: id.split('/').at(-1),
        properties: { orchestrationMode, virtualMachineProfile: { osProfile } },
      };
    });
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

interface ShownDocument {
  readonly id?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** A list has the state of its machines only if that is asked for, and then nothing else in the first case. */
function shown(document: ShownDocument, query: URLSearchParams): object {
  const { instanceView, ...properties } = document.properties ?? {};
  if (query.get('statusOnly') === 'true') {
    return { ...document, properties: { provisioningState: properties['provisioningState'], instanceView } };
  }
  return query.get('$expand') === 'instanceView' ? document : { ...document, properties };
}
