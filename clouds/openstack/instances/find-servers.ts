import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { NodeFacts, NodeUid } from '../../cloud.ts';
import { parseProviderId } from '../provider-id.ts';
import type { NovaServer } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';
import type { ServerIdLookup, ServerReader } from './by-id.ts';
import { lookUpByName, serversNamed } from './by-name.ts';
import type { NovaNameLookup } from './by-name.ts';
import type { ServerIds, ServerList } from './server-list.ts';

export interface ServerSources {
  readonly session: OpenstackSession;
  readonly region: string;
  readonly reader: ServerReader;
  /** Absent: the nodes are few. */
  readonly list: ServerList | Failure | undefined;
  /** What is missing by its id must not be among them either. Absent: it does not matter, as for canaries. */
  readonly getIds?: () => Promise<ServerIds>;
}

export type ServerLookup = ServerIdLookup | NovaNameLookup;

/** So few are looked up one by one, as that is more exact than a list. */
export const directMax = 5;

/** By their ids, or by their names if they have none. A node that names no server of the region is left out. */
export async function findServers(
  nodes: readonly NodeFacts[],
  sources: ServerSources,
  context: Context,
): Promise<ReadonlyMap<NodeUid, ServerLookup>> {
  const byId = await findById(nodes, sources);
  const nameless = nodes.filter(({ providerId }) => providerId === undefined || providerId === '');
  const servers = await orFailure(serversWithNames(nameless, sources, context));
  const byName = nameless.map((node) => [node.uid, nameLookup(node, servers)] as const);
  return new Map<NodeUid, ServerLookup>([...byId, ...byName]);
}

/** What the list does not show is requested by its id, since a list is no proof of absence. */
async function findById(
  nodes: readonly NodeFacts[],
  { region, reader, list, getIds }: ServerSources,
): Promise<readonly (readonly [NodeUid, ServerIdLookup])[]> {
  const wanted = nodes.flatMap((node) => wantedServer(node, region) ?? []);
  if (list instanceof Failure) {
    return wanted.map(({ uid }) => [uid, { status: 'unknown', failure: list }]);
  }
  const unlisted = wanted.flatMap(({ id }) => (list?.has(id) === true ? [] : id));
  const read = await reader.readAll(unlisted);
  const isAnyMissing = list === undefined && read.values().some(({ status }) => status === 'missing');
  const present = isAnyMissing && getIds !== undefined ? await orFailure(getIds()) : undefined;
  return wanted.flatMap(({ uid, id }) => {
    const server = list?.get(id);
    if (server !== undefined) return [[uid, { status: 'described', server, by: 'list' }]];
    const lookup = read.get(id);
    return lookup === undefined
      ? []
      : [[uid, lookup.status === 'missing' ? withoutDoubt(id, lookup, present) : lookup]];
  });
}

/** Nova can have lost where a server is, and then it answers 404 about one that it lists. */
function withoutDoubt(id: string, lookup: ServerIdLookup, present: ServerIds | Failure | undefined): ServerIdLookup {
  if (present instanceof Failure) return { status: 'unknown', failure: present };
  return present?.has(id) === true ? { status: 'unknown', failure: contradiction(id) } : lookup;
}

function contradiction(id: string): Failure {
  return new Failure('invalid-response', `Nova answers that there is no server ${id}, but lists it`, {
    remedy: 'it is looked up again; if this stays, look at the server, and at the cell mappings of Nova',
  });
}

function wantedServer(
  { uid, providerId = '' }: NodeFacts,
  region: string,
): { readonly uid: NodeUid; readonly id: string } | undefined {
  const parsed = parseProviderId(providerId);
  const isInRegion = parsed.is === 'server' && (parsed.region === '' || parsed.region === region);
  return isInRegion ? { uid, id: parsed.serverId } : undefined;
}

async function serversWithNames(
  nodes: readonly NodeFacts[],
  { session, list }: ServerSources,
  context: Context,
): Promise<readonly NovaServer[]> {
  if (list instanceof Failure) throw list;
  if (list !== undefined) return [...list.values()];
  return serversNamed(
    nodes.map(({ name }) => name),
    session,
    context,
  );
}

function nameLookup(node: NodeFacts, servers: readonly NovaServer[] | Failure): NovaNameLookup {
  return servers instanceof Failure ? { status: 'unknown', failure: servers } : lookUpByName(node, servers);
}

export async function orFailure<T>(pending: Promise<T>): Promise<T | Failure> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
