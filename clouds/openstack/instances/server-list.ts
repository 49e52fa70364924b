import { createListCache } from '../../../lib/list-cache.ts';
import type { ListCache } from '../../../lib/list-cache.ts';
import { readRest } from '../pages.ts';
import type { NovaServer } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';
import { listServerIds, listServers } from './nova.ts';
import type { NovaServerPage, ServerIdPage } from './nova.ts';

/** The servers of a project. One that is missing here may exist all the same. */
export type ServerList = ReadonlyMap<string, NovaServer>;

/** So a slow Nova has the time for a page, and a thousand servers take two. Nova's own limit is 1,000 by default. */
const pageSize = '600';

export function createServerListCache(session: OpenstackSession): ListCache<ServerList> {
  return createListCache<NovaServerPage, ServerList>({
    readRest: (pages, context) =>
      readRest(pages, (marker) =>
        listServers({ limit: pageSize, ...(marker !== undefined && { marker }) }, session, context),
      ),
    join: (pages) => new Map(pages.flatMap(({ servers }) => servers.map((server) => [server.id, server] as const))),
  });
}

/** The ids of all servers of a project. What is missing by its id must not be here either. */
export type ServerIds = ReadonlySet<string>;

const idPageSize = '1000';

export function createServerIdCache(session: OpenstackSession): ListCache<ServerIds> {
  return createListCache<ServerIdPage, ServerIds>({
    readRest: (pages, context) =>
      readRest(pages, (marker) =>
        listServerIds({ limit: idPageSize, ...(marker !== undefined && { marker }) }, session, context),
      ),
    join: (pages) => new Set(pages.flatMap(({ ids }) => ids)),
  });
}
