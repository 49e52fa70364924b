import { Failure } from '../../../lib/failure.ts';
import type { NodeFacts } from '../../cloud.ts';
import { bothForms, parseUuid, swapByteOrder } from '../provider-id.ts';
import { absenceOf } from './absence.ts';
import { oneOf } from './one-of.ts';
import type { VmLookup } from './one-of.ts';
import type { VmHit, VmSearch } from './search.ts';
import type { Vcenter } from './vcenter.ts';

/** Where to look for the machine of a node. */
export interface SearchPlaces {
  /** First, or alone if it is known to have the machine. */
  readonly home: Vcenter;
  readonly others: readonly Vcenter[];
  /** The Node's label names this vCenter. */
  readonly isAtHome: boolean;
  /** Lists are read anyway, so they are looked into first. */
  readonly usesLists: boolean;
  /** May one more machine be asked for that the lists do not have? */
  mayAsk(): boolean;
}

/**
 * The machine with the BIOS UUID of a providerID. It is looked for at home, then everywhere: a machine keeps its UUID when
 * it moves to another vCenter. It is missing only if every vCenter answers that it has none.
 */
export async function lookUpByProviderId(
  uuid: string,
  node: NodeFacts,
  places: SearchPlaces,
  search: VmSearch,
): Promise<VmLookup> {
  const { home, others, isAtHome } = places;
  if (isAtHome) {
    const atHome = await hitsIn([home], uuid, places, search);
    if (atHome.hits.length > 0 || atHome.failure !== undefined) return oneOf(atHome.hits, atHome.failure);
  }
  const everywhere = await hitsIn([home, ...others], uuid, places, search);
  if (everywhere.hits.length > 0) return oneOf(everywhere.hits, undefined);
  const swapped = swapByteOrder(uuid);
  const inOtherOrder = await hitsIn([home, ...others], swapped, places, search);
  if (inOtherOrder.hits.length > 0) return confirmed(oneOf(inOtherOrder.hits, undefined), uuid, node);
  const failure = everywhere.failure ?? inOtherOrder.failure;
  if (failure !== undefined) return { status: 'unknown', failure };
  return absenceOf([uuid, swapped], node, [home, ...others], search);
}

interface Hits {
  readonly hits: readonly VmHit[];
  /** Of one of the vCenters. */
  readonly failure: Failure | undefined;
}

async function hitsIn(
  vcenters: readonly Vcenter[],
  uuid: string,
  { usesLists, mayAsk }: SearchPlaces,
  search: VmSearch,
): Promise<Hits> {
  const inLists = usesLists ? await collect(vcenters, (vcenter) => search.inList(vcenter, uuid)) : noHits;
  if (inLists.hits.length > 0 || inLists.failure !== undefined) return inLists;
  if (!mayAsk()) return { hits: [], failure: tooMany() };
  return collect(vcenters, (vcenter) => search.byUuid(vcenter, uuid));
}

const noHits: Hits = { hits: [], failure: undefined };

async function collect(
  vcenters: readonly Vcenter[],
  ask: (vcenter: Vcenter) => Promise<readonly VmHit[]>,
): Promise<Hits> {
  const outcomes = await Promise.all(
    vcenters.map((vcenter) =>
      ask(vcenter).catch((error: unknown) => {
        if (error instanceof Failure) return error;
        throw error;
      }),
    ),
  );
  const hits = outcomes.flatMap((outcome) => (outcome instanceof Failure ? [] : outcome));
  return { hits, failure: outcomes.find((outcome) => outcome instanceof Failure) };
}

function tooMany(): Failure {
  return new Failure('unavailable', 'it is not in the list of its vCenter, and many others are not either', {
    remedy: 'it is asked for in a later look-up; check the permissions of the account and the datacenters',
  });
}

/** In the other byte order, the system UUID has to name the same machine: another one could have this UUID by chance. */
function confirmed(lookup: VmLookup, uuid: string, node: NodeFacts): VmLookup {
  const systemUuid = parseUuid(node.systemUuid ?? '');
  if (systemUuid === undefined || bothForms(uuid).includes(systemUuid)) return lookup;
  const failure = new Failure(
    'misconfigured',
    `${node.name} has the providerID of the BIOS UUID ${uuid}, and the system UUID ${systemUuid}`,
    { remedy: 'the two have to be of one machine: correct --provider-id of the kubelet, and register the Node again' },
  );
  return { status: 'unknown', failure };
}

/**
 * The machine of a node without a providerID: by its system UUID in either byte order, and else by the host name that
 * VMware Tools report. No result means that it is gone.
 */
export async function lookUpByFacts(node: NodeFacts, places: SearchPlaces, search: VmSearch): Promise<VmLookup> {
  const { home, others, usesLists } = places;
  const systemUuid = parseUuid(node.systemUuid ?? '');
  const forms = systemUuid === undefined ? [] : bothForms(systemUuid);
  const found = await Promise.all(forms.map((form) => hitsIn([home, ...others], form, places, search)));
  const byUuid = found.flatMap(({ hits }) => hits);
  const failure = found.map((each) => each.failure).find((each) => each !== undefined);
  if (byUuid.length > 0) return oneOf(byUuid, undefined);
  const named = await search.byName(home, node.name, usesLists ? 'list' : 'id');
  const lookup = oneOf(named, failure);
  if (lookup.status !== 'found' || forms.length === 0) return lookup;
  return { status: 'unknown', failure: failure ?? otherUuid(node, lookup.hit) };
}

function otherUuid({ name, systemUuid = '' }: NodeFacts, { vm, vcenter }: VmHit): Failure {
  return new Failure(
    'misconfigured',
    `no virtual machine has the system UUID ${systemUuid} of ${name}; ${vm.ref.id} in ${vcenter.name}, which has its host name, has the BIOS UUID ${vm.uuid}`,
    {
      remedy:
        'give each machine a host name of its own, or set disk.EnableUUID and look at the SMBIOS settings of the machine',
    },
  );
}
