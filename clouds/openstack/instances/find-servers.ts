import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { NodeFacts, NodeUid } from '../../cloud.ts';
import { parseProviderId } from '../provider-id.ts';
import type { NovaServer } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';
import type { ServerIdLookup, ServerReader } from './by-id.ts';
import { lookUpByName, serversNamed } from './by-name.ts';
import type { NovaNameLookup } from './by-name.ts';
import type { ServerList } from './server-list.ts';

export interface ServerSources {
  readonly session: OpenstackSession;
  readonly region: string;
  readonly reader: ServerReader;
  /** Absent: the nodes are few. */
  readonly list: ServerList | Failure | undefined;
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
  { region, reader, list }: ServerSources,
): Promise<readonly (readonly [NodeUid, ServerIdLookup])[]> {
  const wanted = nodes.flatMap((node) => wantedServer(node, region) ?? []);
  if (list instanceof Failure) {
    return wanted.map(({ uid }) => [uid, { status: 'unknown', failure: list }]);
  }
  const unlisted = wanted.flatMap(({ id }) => (list?.has(id) === true ? [] : id));
  const read = await reader.readAll(unlisted);
  return wanted.flatMap(({ uid, id }) => {
    const server = list?.get(id);
    const lookup: ServerIdLookup | undefined =
      server === undefined ? read.get(id) : { status: 'described', server, by: 'list' };
    return lookup === undefined ? [] : [[uid, lookup]];
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
