import type { Test } from 'tap';
import type { Instances, LookupContext, LookupResult, NodeFacts, NodeUid, Scope } from '../../clouds/cloud.ts';

/** A scope of a cloud, for the suite that the look-ups of all clouds have to pass. */
export interface LookupFixtures {
  readonly scope: Scope;
  /** At least two nodes with running instances. */
  readonly running: readonly [NodeFacts, NodeFacts, ...NodeFacts[]];
  /** Its instance does not exist. */
  readonly missing: NodeFacts;
  /** Its providerID is not one. */
  readonly malformed: NodeFacts;
  /** Each makes every request fail until the state is reset. */
  readonly failures: Readonly<Record<string, () => Promise<void>>>;
  /** Gives the cloud's part for one test, with the state reset. */
  open(): Promise<{ readonly instances: Instances; readonly context: LookupContext }>;
}

type Results = ReadonlyMap<NodeUid, LookupResult>;

export async function runLookupConformance(t: Test, fixtures: LookupFixtures): Promise<void> {
  await testResults(t, fixtures);
  await testFailures(t, fixtures);
  await testVerify(t, fixtures);
  await testBeforeCall(t, fixtures);
}

async function testResults(t: Test, { scope, running, missing, malformed, open }: LookupFixtures): Promise<void> {
  await t.test('each running instance is found by its id', async (t) => {
    const { instances, context } = await open();
    const results = await instances.lookUp(scope, { nodes: running, verify: [] }, context);
    for (const { uid, providerId } of running) {
      t.match(results.get(uid), { status: 'running', by: 'id', instance: { providerId } });
    }
  });

  await t.test('a missing instance and a malformed id hide no other, and an id that is none is unknown', async (t) => {
    const { instances, context } = await open();
    const nodes = [running[0], missing, malformed, running[1]];
    const results = await instances.lookUp(scope, { nodes, verify: [] }, context);
    for (const { uid } of running.slice(0, 2)) t.match(results.get(uid), { status: 'running' });
    t.match(results.get(missing.uid)?.status, /^(?:not-found|unknown)$/);
    t.equal(results.get(malformed.uid)?.status, 'unknown');
  });
}

async function testFailures(t: Test, { scope, running, missing, failures, open }: LookupFixtures): Promise<void> {
  for (const [name, fail] of Object.entries(failures)) {
    await t.test(`nothing is gone and access is not verified: ${name}`, async (t) => {
      const { instances, context } = await open();
      await fail();
      const request = { nodes: [...running, missing], verify: running };
      const results = await instances.lookUp(scope, request, context).catch((error: unknown) => {
        t.match(error, { name: 'Failure', remedy: /./ });
        return new Map<NodeUid, LookupResult>();
      });
      for (const result of results.values()) t.equal(result.status, 'unknown');
      t.equal(await instances.verifyAccess(scope, context), false);
    });
  }
}

async function testVerify(t: Test, { scope, running, missing, open }: LookupFixtures): Promise<void> {
  await t.test('if an instance is gone, a node to verify is found by id as well', async (t) => {
    const { instances, context } = await open();
    const results = await instances.lookUp(scope, { nodes: [missing], verify: running }, context);
    if (!isGone(results, missing)) return;
    t.ok(running.some(({ uid }) => isFoundById(results.get(uid))));
  });
}

async function testBeforeCall(t: Test, { scope, running, missing, open }: LookupFixtures): Promise<void> {
  await t.test('`beforeCall` is awaited before each HTTP request', async (t) => {
    const { instances, context } = await open();
    let allowed = 0;
    let sent = 0;
    const send: typeof context.http.send = async (request, signal) => {
      sent += 1;
      t.ok(sent <= allowed, `request ${sent} of ${allowed} allowed`);
      return context.http.send(request, signal);
    };
    const beforeCall = async (): Promise<void> => {
      await Promise.resolve();
      allowed += 1;
    };
    const counted = { ...context, http: { ...context.http, send }, beforeCall };
    await instances.lookUp(scope, { nodes: [...running, missing], verify: running }, counted);
    await instances.verifyAccess(scope, counted);
    t.equal(sent, allowed);
  });

  await t.test('no request is sent while `beforeCall` has not returned', async (t) => {
    const { instances, context } = await open();
    const http = { send: async () => Promise.reject(new Error('a request was sent')) };
    const stopped = new Error('the look-up has ended');
    const blocked = { ...context, http, beforeCall: () => Promise.reject(stopped) };
    const outcome = instances.lookUp(scope, { nodes: running, verify: [] }, blocked);
    await outcome.then(
      () => undefined,
      (error: unknown) => t.equal(error, stopped),
    );
  });
}

function isGone(results: Results, { uid }: NodeFacts): boolean {
  const result = results.get(uid);
  return result?.status === 'not-found' || result?.status === 'terminated';
}

function isFoundById(result: LookupResult | undefined): boolean {
  return result?.status === 'running' && result.by === 'id';
}
