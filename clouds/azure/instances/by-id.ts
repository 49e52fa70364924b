import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { vmIdPattern } from '../instance.ts';
import type { DescribedMachine } from '../instance.ts';
import { formatResourceId, parseResourceId, resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import { VirtualMachine } from '../schemas.ts';
import type { MachineAddresses } from './addresses.ts';
import { powerStateOf } from './power-state.ts';
import type { CurrentLists } from './current-lists.ts';
import { isMissing } from './missing.ts';
import { notItsFormat } from '../resource-manager-errors.ts';
import { computeVersion } from './resource-manager.ts';
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
  readonly currentLists: CurrentLists;
  /** Throws a `Failure` if they cannot be read. */
  readAddresses(machine: VirtualMachine): Promise<MachineAddresses>;
}

const evidenceCharacters = 300;

/**
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/get and .../virtual-machine-scale-set-vms/get. Never
 * throws a `Failure`.
 */
export async function lookUpMachine(resource: MachineResource, deps: ByIdDeps): Promise<MachineLookup> {
  try {
    const id = formatResourceId(resource);
    const query = { 'api-version': computeVersion, $expand: 'instanceView' };
    const response = await deps.manager.get(id, query, deps.context);
    if (response.is === 'answer') return await describe(response.body, resource, { ...deps, target: response.target });
    if (!isMissing(response.error, resource)) throw response.failure;
    if (await deps.currentLists.has(resource)) throw stillListed(id);
    const { code, message } = response.error;
    return { status: 'not-found', evidence: `${code}: ${message}`.slice(0, evidenceCharacters) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { status: 'unknown', failure: error };
  }
}

type DescribeDeps = ByIdDeps & { readonly target: string };

async function describe(body: unknown, asked: MachineResource, deps: DescribeDeps): Promise<MachineLookup> {
  const { readAddresses, target } = deps;
  const parsed = VirtualMachine.safeParse(body);
  const resource = parsed.success ? parseResourceId(parsed.data.id) : undefined;
  if (!parsed.success || resource === undefined) throw notItsFormat(target);
  const isAsked = resourceKey(resource) === resourceKey(asked);
  if (!isAsked || !vmIdPattern.test(parsed.data.properties.vmId)) throw notItsFormat(target);
  const status = powerStateOf(parsed.data);
  if (status === undefined) throw noPowerState(formatResourceId(resource));
  const { interfaces, hasUnread } = await readAddresses(parsed.data);
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
    faultDomain: instanceView?.platformFaultDomain?.toString(),
    labels: {},
  };
}

function noPowerState(id: string): Failure {
  return new Failure('invalid-response', `Azure does not show the power state of ${id}`, {
    remedy: 'look at the machine in the portal; it should pass',
  });
}

function stillListed(id: string): Failure {
  return new Failure('invalid-response', `Azure does not find ${id}, but lists it`, {
    remedy: 'nothing is concluded about the machine until both agree; if this stays, delete the Node',
  });
}
