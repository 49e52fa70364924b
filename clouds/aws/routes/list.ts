import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Route } from '../../cloud.ts';
import type { AccountSession } from '../instances/account-session.ts';
import type { QueryParameters } from '../instances/query-request.ts';
import { parseRouteTables } from './parse.ts';
import type { Ec2RouteTable } from './parse.ts';

export interface TableQuery {
  /** Absent: the only table with the tag of the cluster. */
  readonly tableId: string | undefined;
  readonly clusterName: string | undefined;
}

export interface ListedTable {
  readonly id: string;
  readonly routes: readonly Route[];
}

/** Of the tags of clusters: https://github.com/kubernetes/cloud-provider-aws/blob/master/pkg/providers/v1/tags.go */
const clusterTagPrefix = 'kubernetes.io/cluster/';

/** One table and all its routes. Throws if there is none, or more than one. */
export async function listTable(session: AccountSession, query: TableQuery, context: Context): Promise<ListedTable> {
  const { tableId, clusterName = '' } = query;
  const tag = `${clusterTagPrefix}${clusterName}`;
  const filter = tableId === undefined ? ['tag-key', tag] : ['route-table-id', tableId];
  const [name = '', value = ''] = filter;
  const tables = await describeTables(session, { 'Filter.1.Name': name, 'Filter.1.Value.1': value }, context);
  const [table, ...others] = tables;
  if (table === undefined) throw noTable(tableId ?? `with the tag ${tag}`);
  if (others.length > 0) throw severalTables(tag, tables);
  // Several clusters may share a table that is not tagged as owned, or that has tags of several clusters.
  const clusterTags = Object.keys(table.tags).filter((key) => key.startsWith(clusterTagPrefix));
  const isOwned = clusterName !== '' && table.tags[tag] === 'owned' && clusterTags.length === 1;
  return { id: table.id, routes: table.routes.map((route) => withOwner(route, isOwned)) };
}

function withOwner({ isToInstance, ...route }: Ec2RouteTable['routes'][number], isOwned: boolean): Route {
  if (!isToInstance) return { ...route, owner: 'other' };
  return { ...route, owner: isOwned ? 'this-cluster' : 'unmarked' };
}

const pagesMax = 20;

async function describeTables(
  session: AccountSession,
  filter: QueryParameters,
  context: Context,
): Promise<readonly Ec2RouteTable[]> {
  const tables: Ec2RouteTable[] = [];
  let next: QueryParameters = {};
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const parameters = { Action: 'DescribeRouteTables', ...filter, ...next };
    const response = await session.request('ec2', parameters, context);
    if (response.is === 'refusal') throw response.failure;
    const page = parseRouteTables(response.body);
    if (page === undefined) throw wrongFormat(response.target);
    tables.push(...page.tables);
    if (page.nextToken === undefined) return tables;
    next = { NextToken: page.nextToken };
  }
  throw wrongFormat('EC2, with more than 20 pages,');
}

function wrongFormat(target: string): Failure {
  return new Failure(
    'invalid-response',
    `${target} answered ec2:DescribeRouteTables with something that is not its format`,
    { remedy: 'check that nothing else, such as a proxy, answers in its place' },
  );
}

function noTable(which: string): Failure {
  return new Failure('misconfigured', `EC2 has no route table ${which}`, {
    remedy: 'tag the route table of the nodes, or name it in aws.routeTables, with its region if there are several',
  });
}

function severalTables(tag: string, tables: readonly Ec2RouteTable[]): Failure {
  const ids = tables.map(({ id }) => id).join(', ');
  return new Failure('misconfigured', `EC2 has several route tables with the tag ${tag}: ${ids}`, {
    remedy: 'name those that need the routes in aws.routeTables',
  });
}
