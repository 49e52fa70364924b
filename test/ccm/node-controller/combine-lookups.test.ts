import t from 'tap';
import { combineLookups } from '../../../ccm/node-controller/combine-lookups.ts';
import type { NodeLookup } from '../../../ccm/node-controller/combine-lookups.ts';
import { Failure } from '../../../lib/failure.ts';

const good = { asked: 2, found: 2 };
const bad = { asked: 2, found: 0 };

function present(providerId: string): NodeLookup {
  return {
    result: { status: 'running', by: 'id', instance: { providerId, addresses: [], labels: {} } },
    canary: good,
  };
}

function gone(status: 'terminated' | 'not-found', canary: NodeLookup['canary']): NodeLookup {
  return { result: { status, evidence: status }, canary };
}

const unknown: NodeLookup = {
  result: { status: 'unknown', failure: new Failure('unavailable', 'slow', { remedy: 'wait' }) },
  canary: good,
};

await t.test('one answer is the answer', async (t) => {
  t.equal(combineLookups([unknown]), unknown);
});

await t.test('one place that has it is enough', async (t) => {
  t.match(combineLookups([gone('not-found', good), present('a'), unknown]), { result: { status: 'running' } });
});

await t.test('two places that have it are one too many', async (t) => {
  t.match(combineLookups([present('a'), present('b')]), { result: { status: 'ambiguous', candidates: ['a', 'b'] } });
});

await t.test('two scopes that have the same instance agree', async (t) => {
  t.match(combineLookups([gone('not-found', good), present('a'), present('a')]), { result: { status: 'running' } });
});

await t.test('gone is only what is gone everywhere', async (t) => {
  t.match(combineLookups([gone('terminated', good), unknown]), { result: { status: 'unknown' } });
  t.match(combineLookups([gone('not-found', good), gone('not-found', good)]), {
    result: { status: 'not-found' },
  });
});

await t.test('of two words the one that takes longer to be believed counts', async (t) => {
  t.match(combineLookups([gone('terminated', good), gone('not-found', good)]), { result: { status: 'not-found' } });
});

await t.test('one canary that is not good spoils the whole', async (t) => {
  t.strictSame(combineLookups([gone('not-found', good), gone('not-found', bad)]).canary, bad);
});
