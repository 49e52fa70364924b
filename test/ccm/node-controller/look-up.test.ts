import t from 'tap';
import { lookUpInScope } from '../../../ccm/node-controller/look-up.ts';
import type { LookupTarget } from '../../../ccm/node-controller/look-up.ts';
import type { CloudScope } from '../../../ccm/node-controller/ownership.ts';
import { isCanaryGood } from '../../../ccm/lifecycle/canary.ts';
import type { Instances, LookupResult } from '../../../clouds/cloud.ts';
import { Failure } from '../../../lib/failure.ts';
import { unusedContext } from '../../clouds/contexts.ts';

const denied = new Failure('denied', 'the keys are no good', { remedy: 'give others' });

const [node, ready] = [targetOf('u'), targetOf('r')];

function targetOf(uid: string): LookupTarget {
  const metadata = { name: uid, uid, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { node: { metadata, spec: {}, status: {} }, facts: { uid, name: uid, nodeIps: [], labels: {} } };
}

interface Reported {
  readonly results: () => ReadonlyMap<string, LookupResult>;
  readonly verifyAccess?: () => boolean;
}

/** A scope of a cloud that reports exactly this. */
function scopeWith({ results, verifyAccess = () => false }: Reported): CloudScope {
  const instances: Instances = {
    scopesOf: () => undefined,
    batchMax: 1,
    lookUp: async () => results(),
    verifyAccess: async () => verifyAccess(),
  };
  return { cloud: { name: 'one', instances }, scope: { cloud: 'one', key: 'one/here' } };
}

const timedOut = AbortSignal.abort(new DOMException('too late', 'TimeoutError'));
const ended = AbortSignal.abort(new Error('leading is over'));

const cases: ReadonlyArray<readonly [name: string, error: Error, signal: AbortSignal | undefined, says: RegExp]> = [
  ['a failure is kept as it is', denied, undefined, /^the keys are no good$/],
  ['a cloud that is silent for too long', timedOut.reason as Error, timedOut, /^one did not respond in time$/],
  ['a lead that is over', ended.reason as Error, ended, /^one was not waited for$/],
  [
    'anything else is a mistake of ours',
    new TypeError('x is undefined'),
    undefined,
    /^one: internal error \(TypeError\)$/,
  ],
];
for (const [name, error, signal, says] of cases) {
  await t.test(name, async (t) => {
    const context = { ...unusedContext, ...(signal && { signal }) };
    const failing = scopeWith({
      results: () => {
        throw error;
      },
    });
    const { results, failure, canary } = await lookUpInScope(failing, { nodes: [node], verify: [ready] }, context);
    t.match(failure?.message, says);
    t.notOk(isCanaryGood(canary));
    t.match(results.get('u'), { status: 'unknown', failure: { message: says } });
  });
}

const instance = { providerId: 'one:///i', addresses: [], labels: {} };
const gone: LookupResult = { status: 'not-found', evidence: 'no such instance' };
const found = (by: 'id' | 'list'): LookupResult => ({ status: 'running', instance, by });

/** A node is reported as gone; whether the report of its scope is believed depends on the Ready node. */
const canaryCases: ReadonlyArray<
  readonly [name: string, ready: LookupResult | undefined, hasReady: boolean, access: boolean, good: boolean]
> = [
  ['the Ready node is found by id', found('id'), true, false, true],
  ['the Ready node is found in a list only', found('list'), true, true, false],
  ['the Ready node is gone as well', gone, true, true, false],
  ['the Ready node is left out', undefined, true, true, false],
  ['there is no Ready node, and access is verified', undefined, false, true, true],
  ['there is no Ready node, and access is not verified', undefined, false, false, false],
];
for (const [name, result, hasReady, access, good] of canaryCases) {
  await t.test(`the canary is ${good ? '' : 'not '}good: ${name}`, async (t) => {
    const reported = new Map([['u', gone] as const, ...(result === undefined ? [] : [['r', result] as const])]);
    const scope = scopeWith({ results: () => reported, verifyAccess: () => access });
    const { canary } = await lookUpInScope(scope, { nodes: [node], verify: hasReady ? [ready] : [] }, unusedContext);
    t.equal(isCanaryGood(canary), good);
  });
}

await t.test('access is verified only where an instance is gone', async (t) => {
  const scope = scopeWith({
    results: () => new Map([['u', found('id')]]),
    verifyAccess: () => {
      throw new Error('not needed');
    },
  });
  const { failure } = await lookUpInScope(scope, { nodes: [node], verify: [] }, unusedContext);
  t.equal(failure, undefined);
});

await t.test('access that cannot be verified takes no result away', async (t) => {
  const other = targetOf('other');
  const scope = scopeWith({
    results: () => new Map([['u', gone] as const, ['other', found('id')] as const]),
    verifyAccess: () => {
      throw denied;
    },
  });
  const { failure, canary, results } = await lookUpInScope(scope, { nodes: [node, other], verify: [] }, unusedContext);
  t.equal(failure, undefined);
  t.match(results.get('other'), { status: 'running' });
  t.notOk(isCanaryGood(canary));
});

await t.test('a cloud that does not end when its time is over does not keep the Nodes', async (t) => {
  const instances: Instances = {
    scopesOf: () => undefined,
    batchMax: 1,
    lookUp: () => new Promise(() => {}),
    verifyAccess: () => new Promise(() => {}),
  };
  const scope: CloudScope = { cloud: { name: 'one', instances }, scope: { cloud: 'one', key: 'one/here' } };
  const ending = new AbortController();
  const looking = lookUpInScope(scope, { nodes: [node], verify: [] }, { ...unusedContext, signal: ending.signal });
  ending.abort(new DOMException('too late', 'TimeoutError'));
  t.match((await looking).failure?.message, /^one did not respond in time$/);
});
