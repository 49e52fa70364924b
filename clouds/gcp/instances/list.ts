import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { createListCache } from '../../../lib/list-cache.ts';
import type { ListCache } from '../../../lib/list-cache.ts';
import { placeKey } from '../provider-id.ts';
import { parseInstancePage } from './parse.ts';
import type { GcpDescribedInstance, GcpInstancePage, UnreadZones } from './parse.ts';
import type { ProjectSession } from './project-session.ts';

/** The instances of a project. One that is missing here may exist all the same. */
export interface InstanceList {
  /** By `placeKey`. */
  readonly instances: ReadonlyMap<string, GcpDescribedInstance>;
  readonly unread: UnreadZones;
}

export function createInstanceListCache(session: ProjectSession): ListCache<InstanceList> {
  return createListCache({ readRest: (pages, context) => readRest(pages, session, context), join: joined });
}

export const instanceFields =
  'kind,id,name,zone,status,machineType,networkInterfaces(networkIP,ipv6Address,ipv6AccessConfigs/externalIpv6,accessConfigs/natIP,aliasIpRanges/ipCidrRange)';
const listQuery = {
  /** The most that Google sends. */
  maxResults: '500',
  /** Without it, one zone that cannot be read makes the whole request fail. */
  returnPartialSuccess: 'true',
  fields: `kind,nextPageToken,unreachables,warning/code,items/*/warning/code,items/*/instances(${instanceFields})`,
};
/** More instances than a project has. */
const pagesMax = 500;

/** Adds the pages that are missing. */
async function readRest(pages: GcpInstancePage[], session: ProjectSession, context: Context): Promise<void> {
  for (;;) {
    const token = pages.at(-1)?.nextPageToken;
    if (pages.length > 0 && token === undefined) return;
    const query = { ...listQuery, ...(token !== undefined && { pageToken: token }) };
    const page = await requestPage(session, query, context);
    const isRepeated =
      page.nextPageToken !== undefined && pages.some((each) => each.nextPageToken === page.nextPageToken);
    if (isRepeated || pages.length === pagesMax) throw endless();
    pages.push(page);
  }
}

function joined(pages: readonly GcpInstancePage[]): InstanceList {
  const isAnyUnread = pages.some(({ unread }) => unread === 'all');
  return {
    instances: new Map(pages.flatMap(({ instances }) => instances.map((each) => [placeKey(each), each] as const))),
    unread: isAnyUnread ? 'all' : new Set(pages.flatMap(({ unread }) => (unread === 'all' ? [] : [...unread]))),
  };
}

/** Can the project's instances be listed, with every zone? */
export async function canList(session: ProjectSession, context: Context): Promise<boolean> {
  const { unread } = await requestPage(session, { ...listQuery, maxResults: '1' }, context);
  return unread !== 'all' && unread.size === 0;
}

async function requestPage(
  session: ProjectSession,
  query: Readonly<Record<string, string>>,
  context: Context,
): Promise<GcpInstancePage> {
  const project = await session.projectId(context);
  const request = { path: 'aggregated/instances', query, permission: 'compute.instances.list' };
  const response = await session.get(request, context);
  if (response.is !== 'answer') throw response.failure;
  const page = parseInstancePage(response.json, project);
  if (page !== undefined) return page;
  throw new Failure('invalid-response', `${response.target} answered with something that is not a list of instances`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}

function endless(): Failure {
  return new Failure('invalid-response', 'the list of instances does not end', {
    remedy: 'check that nothing else answers in place of Compute Engine',
  });
}
