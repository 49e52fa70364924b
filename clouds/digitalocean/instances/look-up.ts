import { Failure } from '../../../lib/failure.ts';
import { neverFound } from '../../../lib/node/never-found.ts';
import { keys } from '../../../schemas/keys.ts';
import type { Context } from '../../../lib/context.ts';
import type { LookupRequest, LookupResult, NodeFacts, NodeUid } from '../../cloud.ts';
import { parseProviderId } from '../provider-id.ts';
import { createDropletReader } from './by-id.ts';
import type { DropletLookup, DropletReader } from './by-id.ts';
import { findByName } from './by-name.ts';
import { lookupResultOf } from './lookup-result.ts';
import type { DropletList } from './pages.ts';
import type { TeamSession } from './team-session.ts';

type Results = ReadonlyMap<NodeUid, LookupResult>;

/** So few are looked up one by one, as that is more exact than a list. */
const directMax = 5;

/** Most Droplets are found in the lists of the whole team. Few are looked up one by one. */
export async function lookUpNodes(
  { nodes, verify }: LookupRequest,
  session: TeamSession,
  context: Context,
): Promise<Results> {
  const reader = createDropletReader(session, context);
  const wanted = wantedIds(nodes);
  const list = needsList(nodes, wanted, session) ? await listOrFailure(session, context) : undefined;
  const lookups = await lookUpIds(nodes, wanted, { list, reader, session });
  const isAnswered = reader.answerCount() > 0 || (list !== undefined && !(list instanceof Failure));
  const failure = list instanceof Failure ? list : firstFailure(lookups.values());
  if (!isAnswered && failure !== undefined) throw failure;
  const results = new Map(nodes.map((node) => [node.uid, resultFor(node, wanted, { lookups, list })]));
  const isAnyGone = [...results.values()].some(({ status }) => status === 'not-found');
  return isAnyGone ? new Map([...results, ...(await verifyNodes(verify, reader))]) : results;
}

type WantedIds = ReadonlyMap<NodeUid, string>;

/** Of the nodes whose providerID names a Droplet. */
function wantedIds(nodes: readonly NodeFacts[]): WantedIds {
  return new Map(
    nodes.flatMap(({ uid, providerId = '' }) => {
      const parsed = parseProviderId(providerId);
      return parsed.is === 'droplet' ? [[uid, parsed.dropletId] as const] : [];
    }),
  );
}

function needsList(nodes: readonly NodeFacts[], wanted: WantedIds, { lists }: TeamSession): boolean {
  return nodes.some(isNameless) || wanted.size > Math.max(directMax, lists.pageCount());
}

function isNameless({ providerId }: NodeFacts): boolean {
  return providerId === undefined || providerId === '';
}

async function listOrFailure({ lists }: TeamSession, context: Context): Promise<DropletList | Failure> {
  try {
    return await lists.get(context);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

interface LookupSources {
  readonly list: DropletList | Failure | undefined;
  readonly reader: DropletReader;
  readonly session: TeamSession;
}

/**
 * What the lists do not show is looked up by its id, since a list is no proof of absence. And what is missing by its id
 * must not be in a list either.
 */
async function lookUpIds(
  nodes: readonly NodeFacts[],
  wanted: WantedIds,
  { list, reader, session }: LookupSources,
): Promise<ReadonlyMap<string, DropletLookup>> {
  const listed = list === undefined || list instanceof Failure ? undefined : list;
  const ids = nodes.flatMap(({ uid, mayBeGone }) => {
    const dropletId = wanted.get(uid);
    return dropletId === undefined ? [] : [{ dropletId, droplet: mayBeGone ? undefined : listed?.byId.get(dropletId) }];
  });
  const known = ids.flatMap(({ dropletId, droplet }) =>
    droplet === undefined ? [] : [[dropletId, { status: 'described', droplet, by: 'list' } as const] as const],
  );
  if (listed !== undefined && known.length > 0) session.foundNode(listed.token);
  const others = ids.flatMap(({ dropletId, droplet }) => (droplet === undefined ? [dropletId] : []));
  const read = [...(await reader.readAll(others))].map(([dropletId, lookup]) => {
    const isDoubtful = lookup.status === 'not-found' && listed?.byId.has(dropletId) === true;
    return [dropletId, isDoubtful ? contradiction(dropletId) : lookup] as const;
  });
  return new Map<string, DropletLookup>([...known, ...read]);
}

interface LookupData {
  readonly lookups: ReadonlyMap<string, DropletLookup>;
  readonly list: DropletList | Failure | undefined;
}

function resultFor(node: NodeFacts, wanted: WantedIds, { lookups, list }: LookupData): LookupResult {
  if (isNameless(node)) return findByName(node, list);
  const lookup = lookups.get(wanted.get(node.uid) ?? '');
  if (lookup === undefined) return { status: 'unknown', failure: noDroplet(node) };
  // The API answers the same about Droplets of other teams. An agent knows neither its team nor its VPC network.
  const isKnown = Boolean(node.labels[keys.digitaloceanVpc]);
  if (lookup.status !== 'not-found' || isKnown) return lookupResultOf(lookup);
  return { status: 'unknown', failure: neverFound(node.name, 'Droplet', keys.digitaloceanVpc) };
}

/** After the others, by the same kind of request. */
async function verifyNodes(verify: readonly NodeFacts[], reader: DropletReader): Promise<Results> {
  const wanted = wantedIds(verify);
  const lookups = await reader.readAll([...wanted.values()]);
  const known = verify.filter(({ uid }) => wanted.has(uid));
  return new Map(known.map((node) => [node.uid, resultFor(node, wanted, { lookups, list: undefined })]));
}

function firstFailure(lookups: Iterable<DropletLookup>): Failure | undefined {
  for (const lookup of lookups) {
    if (lookup.status === 'unknown') return lookup.failure;
  }
  return undefined;
}

function contradiction(dropletId: string): DropletLookup {
  const failure = new Failure('invalid-response', `the Droplet ${dropletId} was not found, but the list has it`, {
    remedy: 'it is looked up again; if this stays, look at the Droplet',
  });
  return { status: 'unknown', failure };
}

export function noDroplet({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `${name} cannot be looked up: its providerID is ${String(providerId)}`, {
    remedy: 'it has to be digitalocean://<Droplet id>',
  });
}
