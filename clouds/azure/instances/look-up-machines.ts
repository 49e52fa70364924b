import type { Context } from '../../../lib/context.ts';
import type { Failure } from '../../../lib/failure.ts';
import { resourceKey } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';
import type { VirtualMachine } from '../schemas.ts';
import { readAddresses } from './addresses.ts';
import type { MachineAddresses } from './addresses.ts';
import { lookUpMachine } from './by-id.ts';
import type { MachineLookup } from './by-id.ts';
import { createCurrentLists } from './current-lists.ts';
import type { CurrentLists, RecentLists } from './current-lists.ts';
import type { IdTurns } from './id-turns.ts';
import type { ListedMachines } from './listed-documents.ts';
import type { RecentAddresses } from './recent-addresses.ts';
import type { ResourceManager } from './resource-manager.ts';

export interface WantedMachine {
  readonly resource: MachineResource;
  /** That its Node was last synced with. */
  readonly instanceId: string | undefined;
  /** As of a Node. */
  readonly mayBeGone: boolean;
  /** Does its Node have the label? */
  readonly hasZone: boolean;
}

export type SourcedLookup = MachineLookup & { readonly by: 'id' | 'list' };

export interface MachinesDeps {
  readonly manager: ResourceManager;
  readonly context: Context;
  readonly turns: IdTurns;
  readonly recentAddresses: RecentAddresses;
  readonly recentLists: RecentLists;
}

/** More requests at once would only wait for the rate limit. */
const concurrentMax = 20;
/** Silent machines are looked up every few seconds. New ones are to get their share of the rate limit meanwhile. */
const concurrentSilentMax = 4;

/**
 * By key. Those that may be gone come last: the others are not to wait for them. Once a request is throttled, no further
 * machine is requested.
 */
export async function lookUpMachines(
  machines: readonly WantedMachine[],
  listed: ListedMachines | undefined,
  deps: MachinesDeps,
): Promise<ReadonlyMap<string, SourcedLookup>> {
  const currentLists = createCurrentLists(deps.manager, deps.recentLists, deps.context);
  const state: MachinesState = { ...deps, listed, currentLists, askedById: chooseById(machines, listed, deps) };
  const lookups = new Map<string, SourcedLookup>();
  let throttled: Failure | undefined;
  const lookUpEach = async (some: readonly WantedMachine[], workers: number): Promise<void> => {
    // Its iterator is shared: each machine is taken once.
    const waiting = some.values();
    const work = async (): Promise<void> => {
      for (const machine of waiting) {
        const lookup =
          (await lookUpInList(machine, state)) ??
          (throttled === undefined ? await lookUpById(machine, state) : unknownById(throttled));
        if (lookup.status === 'unknown' && lookup.failure.kind === 'throttled') throttled = lookup.failure;
        lookups.set(resourceKey(machine.resource), lookup);
      }
    };
    await Promise.all(Array.from({ length: Math.min(workers, some.length) }, work));
  };
  const silent = machines.filter(({ mayBeGone }) => mayBeGone);
  const others = machines.filter(({ mayBeGone }) => !mayBeGone);
  await lookUpEach(others, concurrentMax);
  await lookUpEach(silent, concurrentSilentMax);
  return lookups;
}

function unknownById(failure: Failure): SourcedLookup {
  return { status: 'unknown', failure, by: 'id' };
}

function chooseById(
  machines: readonly WantedMachine[],
  listed: ListedMachines | undefined,
  { turns }: MachinesDeps,
): ReadonlySet<string> {
  const doubtful = machines.filter(({ resource, mayBeGone }) => mayBeGone && listed?.has(resource));
  return turns.choose(doubtful.map(({ resource }) => resourceKey(resource)));
}

interface MachinesState extends MachinesDeps {
  readonly listed: ListedMachines | undefined;
  readonly currentLists: CurrentLists;
  readonly askedById: ReadonlySet<string>;
}

/**
 * A list only shows that a machine still exists, and is the one that it was. Everything else is looked up by id, also a
 * fault domain: lists may leave it out. https://github.com/MicrosoftDocs/azure-docs/issues/94444
 */
async function lookUpInList(
  { resource, instanceId, hasZone }: WantedMachine,
  { listed, askedById, context, currentLists }: MachinesState,
): Promise<SourcedLookup | undefined> {
  if (listed?.has(resource) !== true || askedById.has(resourceKey(resource))) return undefined;
  const { manager } = listed;
  const lookup = await lookUpMachine(resource, {
    manager,
    context,
    currentLists,
    readAddresses: (machine) => readAddresses(machine, manager, context),
  });
  if (!('machine' in lookup)) return undefined;
  const { vmId, zone, faultDomain } = lookup.machine;
  const isSame = instanceId === undefined || vmId.toLowerCase() === instanceId.toLowerCase();
  const showsZone = hasZone || zone !== undefined || faultDomain !== undefined;
  return isSame && showsZone ? { ...lookup, by: 'list' } : undefined;
}

async function lookUpById(
  { resource, mayBeGone }: WantedMachine,
  { manager, listed, context, currentLists, turns, recentAddresses }: MachinesState,
): Promise<SourcedLookup> {
  const source = listed?.manager ?? manager;
  const read = async (machine: VirtualMachine): Promise<MachineAddresses> => {
    const nowMs = context.clock.monotonicMs();
    const recent = mayBeGone ? recentAddresses.get(machine, nowMs) : undefined;
    if (recent !== undefined) return recent;
    const addresses = await readAddresses(machine, source, context);
    if (mayBeGone) recentAddresses.record(machine, addresses, nowMs);
    return addresses;
  };
  const lookup = await lookUpMachine(resource, { manager, context, currentLists, readAddresses: read });
  if (mayBeGone) turns.record(resourceKey(resource), lookup.status, context.clock.monotonicMs());
  return { ...lookup, by: 'id' };
}
