import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { vmIdPattern } from '../instance.ts';
import type { DescribedMachine } from '../instance.ts';
import { formatResourceId, parseResourceId, resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { GroupResource, VirtualMachine } from '../schemas.ts';
import { readAddresses } from './addresses.ts';
import { powerStateOf } from './power-state.ts';
import { notItsFormat } from './resource-manager.ts';
import type { ResourceManager } from './resource-manager.ts';

/** The result for one machine. */
export type MachineLookup =
  | {
      readonly status: 'running' | 'stopped';
      readonly machine: DescribedMachine;
      readonly hasUnreadAddresses: boolean;
    }
  | { readonly status: 'not-found'; readonly evidence: string }
  | { readonly status: 'unknown'; readonly failure: Failure };

export interface ByIdDeps {
  readonly manager: ResourceManager;
  readonly context: Context;
  /** Asked once for all machines of a group, after the first of them was missing. */
  readonly groups: Map<string, Promise<boolean>>;
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/get */
export const computeVersion = '2024-07-01';
const groupVersion = '2021-04-01';
/** Of the resource itself, or of the scale set that it is in. A missing group or subscription has other codes. */
const ownCodes = new Set(['ResourceNotFound', 'NotFound', 'ParentResourceNotFound']);
const evidenceCharacters = 300;

/** Never throws a `Failure`. */
export async function lookUpMachine(resource: MachineResource, deps: ByIdDeps): Promise<MachineLookup> {
  try {
    const id = formatResourceId(resource);
    const query = { 'api-version': computeVersion, $expand: 'instanceView' };
    const response = await deps.manager.get(id, query, deps.context);
    if (response.is === 'answer') return await describe(response.body, resource, { ...deps, target: response.target });
    if (!ownCodes.has(response.code) || !(await groupAnswers(resource, deps))) throw response.failure;
    return { status: 'not-found', evidence: `${response.code}: ${response.message}`.slice(0, evidenceCharacters) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: 'unknown', failure: error };
  }
}

type DescribeDeps = ByIdDeps & { readonly target: string };

async function describe(body: unknown, asked: MachineResource, deps: DescribeDeps): Promise<MachineLookup> {
  const { manager, context, target } = deps;
  const parsed = VirtualMachine.safeParse(body);
  const resource = parsed.success ? parseResourceId(parsed.data.id) : undefined;
  if (!parsed.success || resource === undefined) throw notItsFormat(target);
  const isAsked = resourceKey(resource) === resourceKey(asked);
  if (!isAsked || !vmIdPattern.test(parsed.data.properties.vmId)) throw notItsFormat(target);
  const status = powerStateOf(parsed.data);
  if (status === undefined) throw noPowerState(formatResourceId(resource));
  const { interfaces, hasUnread } = await readAddresses(parsed.data, manager, context);
  return { status, machine: { ...describedMachine(parsed.data, resource), interfaces }, hasUnreadAddresses: hasUnread };
}

function describedMachine(
  { location, zones, sku, properties }: VirtualMachine,
  resource: MachineResource,
): Omit<DescribedMachine, 'interfaces'> {
  const { vmId, hardwareProfile, instanceView } = properties;
  return {
    resource,
    vmId,
    size: hardwareProfile?.vmSize ?? sku?.name,
    location,
    zone: zones?.[0],
    faultDomain: String(instanceView?.platformFaultDomain ?? 0),
    labels: {},
  };
}

/** Only where the group answers, its machine's 404 is about the machine. */
function groupAnswers(resource: MachineResource, { manager, context, groups }: ByIdDeps): Promise<boolean> {
  const id = `/subscriptions/${resource.subscriptionId}/resourceGroups/${resource.resourceGroup}`;
  const known = groups.get(id) ?? askGroup(id, manager, context);
  groups.set(id, known);
  return known;
}

async function askGroup(id: string, manager: ResourceManager, context: Context): Promise<boolean> {
  const response = await manager.get(id, { 'api-version': groupVersion }, context);
  if (response.is !== 'answer') return false;
  const parsed = GroupResource.safeParse(response.body);
  return parsed.success && parsed.data.id.toLowerCase() === id.toLowerCase();
}

function noPowerState(id: string): Failure {
  return new Failure('invalid-response', `Azure does not show the power state of ${id}`, {
    remedy: 'look at the machine in the portal; it should pass',
  });
}
