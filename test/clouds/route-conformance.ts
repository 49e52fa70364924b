import type { Test } from 'tap';
import type { LookupContext, NodeFacts, Route, RouteResult, Routes } from '../../clouds/cloud.ts';
import { Failure } from '../../lib/failure.ts';
import type { NodeAddress } from '../../schemas/kubernetes.ts';

/** A route table of the cloud under test, with a route that the cloud or somebody else made. */
export interface RouteTableUnderTest {
  readonly routes: Routes;
  readonly context: LookupContext;
}

export interface RouteConformanceParts {
  /** Two instances that exist, and one that does not. The table is that of the first. */
  readonly nodes: readonly [RoutedFacts, RoutedFacts];
  readonly missing: RoutedFacts;
  readonly foreignNode: NodeFacts;
  /** Each makes every request fail. */
  readonly failures: Readonly<Record<string, () => Promise<void>>>;
  /** A fresh cloud, without pod routes and without failures. */
  open(): Promise<RouteTableUnderTest>;
}

export interface RoutedFacts {
  readonly facts: NodeFacts;
  readonly addresses: readonly NodeAddress[];
}

const podCidrs = ['10.244.1.0/24', '10.244.2.0/24', '10.244.3.0/24'] as const;

/** What the routes of every cloud promise. */
export async function runRouteConformance(t: Test, parts: RouteConformanceParts): Promise<void> {
  const { nodes, missing, foreignNode, failures, open } = parts;
  const [first, second] = nodes;
  const [table] = (await open()).routes.tablesOf(first.facts);
  if (table === undefined) throw new Error('the first node has a table');
  const routeTo = (routes: Routes, { facts, addresses }: RoutedFacts, podCidr: string): Route => {
    const nextHop = routes.nextHopOf(facts, podCidr, addresses);
    if (nextHop === undefined) throw new Error(`${facts.name} has a next hop`);
    return { podCidr, nextHop, owner: 'this-cluster', blackhole: false };
  };

  await t.test('a node of another cloud has no table, and two nodes side by side have the same one', async (t) => {
    const { routes } = await open();
    t.strictSame(routes.tablesOf(foreignNode), []);
    t.strictSame(routes.tablesOf(second.facts), [table]);
    t.ok(table.key.startsWith(`${table.cloud}/`));
  });

  await t.test('a route is created, listed and removed, and no other route changes', async (t) => {
    const { routes, context } = await open();
    const before = await listOf(routes, context);
    const create = nodes.map((node, index) => routeTo(routes, node, podCidrs[index] ?? ''));
    noFailure(t, await routes.apply(table, { create, remove: [] }, context), 2);
    const during = await routes.list(table, context);
    t.strictSame(podRoutes(during), podRoutes(create));
    for (const { owner } of during.filter(isPodRoute)) t.not(owner, 'other', 'a route of ours may be removed');
    noFailure(t, await routes.apply(table, { create: [], remove: create.slice(0, 1) }, context), 1);
    t.strictSame(podRoutes(await routes.list(table, context)), podRoutes(create.slice(1)));
    noFailure(t, await routes.apply(table, { create: [], remove: create.slice(1) }, context), 1);
    t.strictSame(await listOf(routes, context), before);
  });

  await t.test('what is done already succeeds', async (t) => {
    const { routes, context } = await open();
    const route = routeTo(routes, first, podCidrs[0]);
    noFailure(t, await routes.apply(table, { create: [], remove: [route] }, context), 1);
    noFailure(t, await routes.apply(table, { create: [route], remove: [] }, context), 1);
    noFailure(t, await routes.apply(table, { create: [route], remove: [] }, context), 1);
    t.strictSame(podRoutes(await routes.list(table, context)), podRoutes([route]));
  });

  await t.test('a route is replaced', async (t) => {
    const { routes, context } = await open();
    const [before, after] = [routeTo(routes, first, podCidrs[0]), routeTo(routes, second, podCidrs[0])];
    await routes.apply(table, { create: [before], remove: [] }, context);
    noFailure(t, await routes.apply(table, { create: [after], remove: [before] }, context), 2);
    t.strictSame(podRoutes(await routes.list(table, context)), podRoutes([after]));
  });

  await t.test('a removal names its next hop: a route that leads elsewhere by now stays', async (t) => {
    const { routes, context } = await open();
    const [present, other] = [routeTo(routes, first, podCidrs[0]), routeTo(routes, second, podCidrs[0])];
    await routes.apply(table, { create: [present], remove: [] }, context);
    await routes.apply(table, { create: [], remove: [other] }, context);
    t.strictSame(podRoutes(await routes.list(table, context)), podRoutes([present]));
  });

  await t.test('one bad route does not stop the others', async (t) => {
    const { routes, context } = await open();
    const bad = routeTo(routes, missing, podCidrs[2]);
    const create = [routeTo(routes, first, podCidrs[0]), bad, routeTo(routes, second, podCidrs[1])];
    const results = await routes.apply(table, { create, remove: [] }, context);
    t.equal(results.length, 3);
    const failed = results.filter(({ failure }) => failure !== undefined);
    t.match(failed, [{ route: bad, failure: { remedy: /./ } }]);
    const there = new Set(podRoutes(await routes.list(table, context)));
    t.ok(podRoutes([create[0], create[2]].filter((route) => route !== undefined)).every((each) => there.has(each)));
  });

  for (const [what, fail] of Object.entries(failures)) {
    await t.test(`${what}: no list and no change, but a failure`, async (t) => {
      const { routes, context } = await open();
      await fail();
      await t.rejects(routes.list(table, context), Failure, 'a list is complete, or it throws');
      const change = { create: [routeTo(routes, first, podCidrs[0])], remove: [] };
      const applied = await routes.apply(table, change, context).catch((error: unknown) => error);
      if (applied instanceof Failure) t.not(applied.remedy, '');
      else t.match(applied, [{ failure: Failure }]);
    });
  }

  await t.test('each request is announced, and an error of that ends the call', async (t) => {
    const { routes, context } = await open();
    const stop = new Error('no more');
    let calls = 0;
    const beforeCall = async (): Promise<void> => {
      calls += 1;
      if (calls > 1) throw stop;
    };
    const change = { create: [routeTo(routes, first, podCidrs[0])], remove: [] };
    const ended = await routes.apply(table, change, { ...context, beforeCall }).catch((error: unknown) => error);
    t.equal(ended, stop);
    t.strictSame(podRoutes(await routes.list(table, context)), []);
  });

  async function listOf(routes: Routes, context: LookupContext): Promise<readonly string[]> {
    if (table === undefined) return [];
    return (await routes.list(table, context)).map((route) => JSON.stringify(route)).toSorted();
  }
}

function isPodRoute({ podCidr }: Route): boolean {
  return podCidrs.some((each) => each === podCidr);
}

function podRoutes(routes: readonly Route[]): readonly string[] {
  return routes
    .filter(isPodRoute)
    .map(({ podCidr, nextHop }) => `${podCidr} ${nextHop}`)
    .toSorted();
}

function noFailure(t: Test, results: readonly RouteResult[], count: number): void {
  t.equal(results.length, count);
  for (const { failure } of results) t.equal(failure, undefined);
}
