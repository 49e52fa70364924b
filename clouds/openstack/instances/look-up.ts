import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { ListCache } from '../../../lib/list-cache.ts';
import type { LookupRequest, LookupResult, NodeFacts, NodeUid } from '../../cloud.ts';
import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import type { NovaServer } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';
import { absenceOf } from './absence.ts';
import { createServerReader } from './by-id.ts';
import { directMax, findServers, orFailure } from './find-servers.ts';
import type { ServerLookup } from './find-servers.ts';
import { deletedStatus, describedResult } from './lookup-result.ts';
import { portsOfServers } from './ports.ts';
import type { ServerPorts } from './ports.ts';
import type { ServerIds, ServerList } from './server-list.ts';

export interface OpenstackLookupDeps {
  readonly session: OpenstackSession;
  readonly lists: ListCache<ServerList>;
  readonly ids: ListCache<ServerIds>;
  /** Those that own a server that was found by the id of one of our nodes. */
  readonly projects: Set<string>;
  readonly config: OpenstackConfig;
  readonly context: Context;
}

type Results = ReadonlyMap<NodeUid, LookupResult>;

/** Most servers are found in a list of the whole project, and their ports in one request. Few are requested by id. */
export async function lookUpNodes({ nodes, verify }: LookupRequest, deps: OpenstackLookupDeps): Promise<Results> {
  const { session, lists, ids, projects, context } = deps;
  const { region } = await session.place(context);
  const sources = { session, region, reader: createServerReader(session, context) };
  const list = nodes.length > Math.max(directMax, lists.pageCount()) ? await orFailure(lists.get(context)) : undefined;
  const lookups = await findServers(nodes, { ...sources, list, getIds: () => ids.get(context) }, context);
  if (list === undefined || list instanceof Failure) throwIfUnanswered(lookups);
  for (const { providerId, uid } of nodes) recordProject(projects, providerId, lookups.get(uid));
  // After the others, by the same kind of request, and before Neutron is asked: it has no part in whether one is gone.
  const isAnyGone = lookups.values().some(isGone);
  const canaries = isAnyGone ? verify.filter(hasProviderId) : [];
  const verified = await findServers(canaries, { ...sources, list: undefined }, context);
  const ports = await readPorts([...lookups.values()], deps);
  return new Map([
    ...resultsOf(nodes, { lookups, ports, region, deps }),
    ...resultsOf(canaries, { lookups: verified, ports: () => undefined, region, deps }),
  ]);
}

function isGone(lookup: ServerLookup): boolean {
  return lookup.status === 'missing' || (lookup.status === 'described' && lookup.server.status === deletedStatus);
}

/** One answer about one server is enough: then the failures are those of single nodes. */
function throwIfUnanswered(lookups: ReadonlyMap<NodeUid, ServerLookup>): void {
  const all = [...lookups.values()];
  const failures = all.flatMap((lookup) => (lookup.status === 'unknown' ? [lookup.failure] : []));
  const isAnswered = failures.length < all.length || failures.some(({ kind }) => kind === 'not-found');
  if (!isAnswered && failures[0] !== undefined) throw failures[0];
}

/** Not by a name: only the id is certainly that of the node's own server. */
function recordProject(projects: Set<string>, providerId: string | undefined, lookup: ServerLookup | undefined): void {
  if (lookup?.status === 'described' && providerId) projects.add(lookup.server.tenant_id);
}

type PortsOf = (server: NovaServer) => ServerPorts | Failure | undefined;

async function readPorts(
  lookups: readonly ServerLookup[],
  { session, context }: OpenstackLookupDeps,
): Promise<PortsOf> {
  const ids = new Set(lookups.flatMap((lookup) => (lookup.status === 'described' ? [lookup.server.id] : [])));
  const ports = await orFailure(portsOfServers([...ids], session, context));
  return (server) => {
    if (ports instanceof Failure) return ports;
    const own = ports.get(server.id);
    // What a policy hides, Neutron leaves out without an error.
    const isHidden = own?.ports.length === 0 && Object.values(server.addresses).flat().length > 0;
    return isHidden ? hiddenPorts(server) : own;
  };
}

interface FoundServers {
  readonly lookups: ReadonlyMap<NodeUid, ServerLookup>;
  readonly ports: PortsOf;
  readonly region: string;
  readonly deps: OpenstackLookupDeps;
}

function resultsOf(nodes: readonly NodeFacts[], found: FoundServers): Results {
  return new Map(nodes.map((node) => [node.uid, resultFor(node, found.lookups.get(node.uid), found)]));
}

function resultFor(
  node: NodeFacts,
  lookup: ServerLookup | undefined,
  { ports, region, deps }: FoundServers,
): LookupResult {
  if (lookup === undefined) return { status: 'unknown', failure: noServer(node) };
  if (lookup.status === 'described') {
    const { server, by } = lookup;
    return describedResult({ server, by, region, ports: ports(server) }, deps.config);
  }
  if (lookup.status !== 'missing') return lookup;
  const { evidence, projectId } = lookup;
  return absenceOf(node, { evidence, place: { projectId, region } }, deps.config);
}

function hasProviderId({ providerId }: NodeFacts): boolean {
  return providerId !== undefined && providerId !== '';
}

function hiddenPorts({ id }: NovaServer): Failure {
  return new Failure('denied', `Neutron shows no port of the server ${id}, and Nova shows its addresses`, {
    remedy: 'let the credentials be those of the project that owns the ports, with the role reader',
  });
}

export function noServer({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `${name} cannot be looked up: its providerID is ${String(providerId)}`, {
    remedy: 'it has to be openstack:///<server id>, or have a region of openstack.scopes in the configuration',
  });
}
