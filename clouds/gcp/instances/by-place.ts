import { Failure } from '../../../lib/failure.ts';
import { placeKey } from '../provider-id.ts';
import type { InstancePlace } from '../provider-id.ts';
import type { InstanceReader, PlaceLookup } from './by-id.ts';
import type { InstanceList } from './list.ts';

/** A place that a node's providerID names. */
export interface WantedPlace {
  readonly place: InstancePlace;
  /** Of the instance that the node was last synced with. */
  readonly instanceId: string | undefined;
}

export interface PlaceSources {
  readonly reader: InstanceReader;
  /** Absent: the places are few, and it is requested only if one of their instances is missing. */
  readonly list: InstanceList | Failure | undefined;
  getList(): Promise<InstanceList | Failure>;
}

/** So few are looked up one by one, as that is more exact than a list. */
export const directMax = 5;

type PlaceLookups = ReadonlyMap<string, PlaceLookup>;

/**
 * What the list does not show is looked up by its name, since a list is no proof of absence. And what is missing by its
 * name must not be in the list either.
 */
export async function lookUpPlaces(wanted: readonly WantedPlace[], sources: PlaceSources): Promise<PlaceLookups> {
  const { reader, list, getList } = sources;
  const known = list === undefined ? new Map<string, PlaceLookup>() : knownFrom(list, wanted);
  const others = wanted.map(({ place }) => place).filter((place) => !known.has(placeKey(place)));
  const read = await reader.readAll(others);
  if (![...read.values()].some(({ status }) => status === 'not-found')) return new Map([...known, ...read]);
  return new Map([...known, ...withoutDoubtful(read, others, list ?? (await getList()))]);
}

function knownFrom(list: InstanceList | Failure, wanted: readonly WantedPlace[]): Map<string, PlaceLookup> {
  if (!(list instanceof Failure)) return knownFromList(list, wanted);
  const isWorthTrying = wanted.length <= directMax && list.kind !== 'throttled';
  return new Map(isWorthTrying ? [] : wanted.map(({ place }) => [placeKey(place), unknown(list)]));
}

function knownFromList(list: InstanceList, wanted: readonly WantedPlace[]): Map<string, PlaceLookup> {
  const known = new Map<string, PlaceLookup>();
  for (const { place } of wanted) {
    const instance = list.instances.get(placeKey(place));
    if (instance !== undefined) known.set(placeKey(place), { status: 'described', instance, by: 'list' });
    else if (isUnread(list, place)) known.set(placeKey(place), unknown(unreadZone(place)));
  }
  // That a name has another instance must be known from the instance itself.
  for (const { place, instanceId } of wanted) {
    const instance = list.instances.get(placeKey(place));
    if (instance !== undefined && instanceId !== undefined && instance.instanceId !== instanceId) {
      known.delete(placeKey(place));
    }
  }
  return known;
}

/** Not gone is what the list has, what it could not read, and everything if there is no list. */
function withoutDoubtful(
  read: PlaceLookups,
  places: readonly InstancePlace[],
  list: InstanceList | Failure,
): PlaceLookups {
  const lookups = new Map(read);
  for (const place of places) {
    const doubt = doubtAbout(place, list);
    const isMissing = read.get(placeKey(place))?.status === 'not-found';
    if (isMissing && doubt !== undefined) lookups.set(placeKey(place), unknown(doubt));
  }
  return lookups;
}

function doubtAbout(place: InstancePlace, list: InstanceList | Failure): Failure | undefined {
  if (list instanceof Failure) return list;
  if (list.instances.has(placeKey(place))) return contradiction(place);
  return isUnread(list, place) ? unreadZone(place) : undefined;
}

function isUnread({ unread }: InstanceList, { zone }: InstancePlace): boolean {
  return unread === 'all' || unread.has(zone);
}

function unknown(failure: Failure): PlaceLookup {
  return { status: 'unknown', failure };
}

function unreadZone({ zone }: InstancePlace): Failure {
  return new Failure('unavailable', `Compute Engine could not read the instances of ${zone}`, {
    remedy: 'it should pass; if not, see the Google Cloud status dashboard',
  });
}

function contradiction({ zone, name }: InstancePlace): Failure {
  return new Failure('invalid-response', `${name} in ${zone} was not found, but the list of instances has it`, {
    remedy: 'it is looked up again; if this stays, look at the instance',
  });
}
