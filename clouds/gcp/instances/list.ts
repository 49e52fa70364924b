import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { placeKey } from '../provider-id.ts';
import { parseInstancePage } from './parse.ts';
import type { GcpDescribedInstance, GcpInstancePage, UnreadZones } from './parse.ts';
import type { ProjectSession } from './project-session.ts';

/** The instances of a project. One that is missing here may exist all the same. */
export interface InstanceList {
  /** By `placeKey`. */
  readonly instances: ReadonlyMap<string, GcpDescribedInstance>;
  readonly unread: UnreadZones;
  /** How many requests it took. */
  readonly pageCount: number;
}

/** Lists for the look-ups of one sweep, which come shortly after one another. */
export interface ListCache {
  get(context: Context): Promise<InstanceList>;
  /** How many requests a list takes, by the last one. */
  pageCount(): number;
}

/** Shorter than the period of look-ups, so that none shows an old list twice. */
const maxAgeMs = 3_000;

export function createListCache(session: ProjectSession): ListCache {
  let latest: { readonly list: InstanceList; readonly readAtMs: number } | undefined;
  let pending: Promise<InstanceList> | undefined;

  async function load(context: Context): Promise<InstanceList> {
    try {
      const list = await listInstances(session, context);
      latest = { list, readAtMs: context.clock.monotonicMs() };
      return list;
    } finally {
      pending = undefined;
    }
  }

  return {
    get: async (context) => {
      if (latest !== undefined && context.clock.monotonicMs() - latest.readAtMs < maxAgeMs) return latest.list;
      pending ??= load(context);
      return pending;
    },
    pageCount: () => latest?.list.pageCount ?? 1,
  };
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
/** More would not fit into the time of a look-up. */
const pagesMax = 100;

/** Every page, or it throws. */
async function listInstances(session: ProjectSession, context: Context): Promise<InstanceList> {
  const pages: GcpInstancePage[] = [];
  const tokens = new Set<string>();
  for (let token: string | undefined; ;) {
    const page = await requestPage(
      session,
      { ...listQuery, ...(token !== undefined && { pageToken: token }) },
      context,
    );
    pages.push(page);
    token = page.nextPageToken;
    if (token === undefined) return joined(pages);
    if (tokens.has(token) || pages.length === pagesMax) throw endless();
    tokens.add(token);
  }
}

function joined(pages: readonly GcpInstancePage[]): InstanceList {
  const isAnyUnread = pages.some(({ unread }) => unread === 'all');
  return {
    instances: new Map(pages.flatMap(({ instances }) => instances.map((each) => [placeKey(each), each] as const))),
    unread: isAnyUnread ? 'all' : new Set(pages.flatMap(({ unread }) => (unread === 'all' ? [] : [...unread]))),
    pageCount: pages.length,
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
  if (response.is === 'missing') throw response.failure;
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
