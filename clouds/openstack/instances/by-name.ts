import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { LookupResult, NodeFacts } from '../../cloud.ts';
import { readRest } from '../pages.ts';
import type { NovaServer } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';
import type { ServerIdLookup } from './by-id.ts';
import { listServers } from './nova.ts';
import type { NovaServerPage } from './nova.ts';

/** A name that no server has is no evidence about any server, so it never means "not-found". */
export type NovaNameLookup =
  | Exclude<ServerIdLookup, { readonly status: 'missing' }>
  | Extract<LookupResult, { readonly candidates: readonly string[] }>;

/**
 * Servers with these names. Nova's filter is a regular expression of its database; only the dots of a Node's name have a
 * meaning there. https://docs.openstack.org/api-ref/compute/#list-servers-detailed
 */
export async function serversNamed(
  names: readonly string[],
  session: OpenstackSession,
  context: Context,
): Promise<readonly NovaServer[]> {
  const alternatives = [...new Set(names)].filter(isNodeName).map((name) => name.replaceAll('.', '\\.'));
  if (alternatives.length === 0) return [];
  const pages: NovaServerPage[] = [];
  await readRest(pages, (marker) =>
    listServers({ name: `^(${alternatives.join('|')})$`, ...(marker !== undefined && { marker }) }, session, context),
  );
  return pages.flatMap(({ servers }) => servers);
}

/** A Node's name has no capitals, and a server's name may: the host is named after it in lower case. */
export function lookUpByName({ name }: NodeFacts, servers: readonly NovaServer[]): NovaNameLookup {
  const found = servers.filter((server) => server.name.toLowerCase() === name);
  const [server, ...others] = found;
  if (server === undefined) return { status: 'unknown', failure: unknownName(name) };
  if (others.length > 0) return { status: 'ambiguous', candidates: found.map(({ id }) => id).toSorted() };
  return { status: 'described', server, by: 'list' };
}

function unknownName(name: string): Failure {
  return new Failure('not-found', `the project has no server with the name ${name}`, {
    remedy: "start the kubelet with --provider-id, or let the node's name be the server's",
  });
}

/** Only dots have a meaning in the filter. https://kubernetes.io/docs/concepts/overview/working-with-objects/names */
function isNodeName(name: string): boolean {
  return /^[a-z0-9.-]{1,253}$/.test(name);
}
