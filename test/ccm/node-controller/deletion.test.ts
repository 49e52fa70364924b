import t from 'tap';
import { knownNode, monitorPeriodMs, startHarness, withLabel, withReady } from './harness.ts';
import type { ControllerHarness } from './harness.ts';
import { failureOf } from './toy-cloud.ts';
import type { ToyStatus } from './toy-cloud.ts';

const name = 'gone';
const secondMs = 1_000;
const minuteMs = 60_000;
/** Much longer than a deletion takes. */
const longMs = 3 * minuteMs;

/** A cluster with a Node that is not Ready and whose instance is gone, and a Ready one in the same scope. */
function harnessWith(status: ToyStatus, overrides: Partial<Parameters<typeof knownNode>[0]> = {}): ControllerHarness {
  const harness = startHarness();
  harness.api.put(knownNode({ name: 'awake' }));
  harness.cloud.setStatus(name, status);
  harness.api.put(knownNode({ name, ready: false, ...overrides }));
  return harness;
}

function deletes({ api }: ControllerHarness): readonly string[] {
  return api.requests.filter((request) => request.startsWith('delete Node'));
}

await t.test('terminated: after the second sighting, which comes 10 s after the first', async (t) => {
  const stage = harnessWith('terminated');
  await stage.advance(10 * secondMs);
  t.ok(stage.api.node(name), 'one sighting is not enough');
  await stage.advance(secondMs);
  t.equal(stage.api.node(name), undefined);
  t.strictSame(stage.cloud.lookups.filter(({ names }) => names.includes(name)).length, 2);
  t.equal(stage.counts.deleted, 1);
});

await t.test('not found: after three sightings over a minute', async (t) => {
  const stage = harnessWith('not-found');
  await stage.advance(minuteMs);
  t.ok(stage.api.node(name));
  await stage.advance(2 * secondMs);
  t.equal(stage.api.node(name), undefined);
  t.equal(stage.counts.deleted, 1);
});

await t.test('the report comes before the deletion', async (t) => {
  const stage = harnessWith('terminated');
  await stage.advance(longMs);
  t.strictSame(
    stage.api.requests.filter((request) => request.endsWith(name)).slice(-4),
    ['patch condition', 'create event', 'read Node', 'delete Node'].map((step) => `${step} ${name}`),
  );
});

/** Why a Node that is not Ready, and whose instance the cloud calls gone, is kept for as long as it lasts. */
interface KeptCase {
  readonly reason: string;
  readonly status?: ToyStatus;
  readonly overrides?: Partial<Parameters<typeof knownNode>[0]>;
  begin?(stage: ControllerHarness): void;
  /** After that it is deleted. Absent: the reason stays. */
  end?(stage: ControllerHarness): void;
}

const keptCases: readonly KeptCase[] = [
  {
    reason: 'no Ready Node of the scope is found',
    begin: ({ cloud }) => cloud.setStatus('awake', 'not-found'),
    end: ({ cloud }) => cloud.setStatus('awake', 'running'),
  },
  {
    reason: 'the list is whole, and every request by id finds nothing',
    begin: ({ cloud }) => void (cloud.findsOnlyInList = true),
    end: ({ cloud }) => void (cloud.findsOnlyInList = false),
  },
  {
    reason: 'no Ready Node of the scope is left, and access cannot be verified',
    begin: ({ cloud, api }) => {
      cloud.accessVerified = false;
      api.delete('awake');
    },
    end: ({ cloud }) => void (cloud.accessVerified = true),
  },
  {
    reason: 'the Ready Node is in another scope',
    overrides: { region: 'there' },
    begin: ({ cloud }) => void (cloud.accessVerified = false),
  },
  {
    reason: 'too many are missing at once',
    begin: ({ api, cloud }) => {
      for (const each of ['one', 'two', 'three']) {
        cloud.setStatus(each, 'not-found');
        api.put(knownNode({ name: each, ready: false }));
      }
    },
  },
  {
    reason: 'the cloud fails',
    begin: ({ cloud }) => void (cloud.lookUpOverride = () => Promise.reject(failureOf('unavailable'))),
    end: ({ cloud }) => void (cloud.lookUpOverride = undefined),
  },
  {
    reason: 'the cloud refuses the credentials',
    begin: ({ cloud }) => void (cloud.lookUpOverride = () => Promise.reject(failureOf('denied'))),
    end: ({ cloud }) => void (cloud.lookUpOverride = undefined),
  },
  {
    reason: 'the cloud throttles',
    begin: ({ cloud }) =>
      void (cloud.lookUpOverride = () => Promise.reject(failureOf('throttled', { retryAfterMs: 20 * secondMs }))),
    end: ({ cloud }) => void (cloud.lookUpOverride = undefined),
  },
  {
    reason: 'the cloud does not answer',
    begin: ({ cloud }) =>
      void (cloud.lookUpOverride = (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        })),
    end: ({ cloud }) => void (cloud.lookUpOverride = undefined),
  },
  {
    reason: 'a bug in the cloud’s part throws',
    begin: ({ cloud }) =>
      void (cloud.lookUpOverride = () => Promise.reject(new TypeError('undefined is not a function'))),
    end: ({ cloud }) => void (cloud.lookUpOverride = undefined),
  },
  {
    reason: 'the answer is empty',
    begin: ({ cloud }) => void (cloud.lookUpOverride = () => Promise.resolve(new Map())),
    end: ({ cloud }) => void (cloud.lookUpOverride = undefined),
  },
  {
    reason: 'it is left out of the answer',
    status: 'left-out',
    end: ({ cloud }) => cloud.setStatus(name, 'not-found'),
  },
  { reason: 'it could not be found out', status: 'unknown', end: ({ cloud }) => cloud.setStatus(name, 'not-found') },
  {
    reason: 'several instances could be it',
    status: 'ambiguous',
    end: ({ cloud }) => cloud.setStatus(name, 'terminated'),
  },
  { reason: 'the instance runs', status: 'running', end: ({ cloud }) => cloud.setStatus(name, 'terminated') },
  { reason: 'the instance is stopped', status: 'stopped', end: ({ cloud }) => cloud.setStatus(name, 'terminated') },
  {
    reason: 'it is Ready',
    overrides: { ready: true },
    end: ({ api }) => api.change(name, (node) => withReady(node, false)),
  },
  { reason: 'it is unmanaged', overrides: { labels: { 'polycloud.dev/cloud': 'false' } } },
  { reason: 'it is of another cloud', overrides: { providerId: 'elsewhere://here/gone' } },
  { reason: 'it was never known: no providerID', overrides: { providerId: undefined } },
  { reason: 'it was never known: it waits for its cloud', overrides: { taints: ['uninitialized'] } },
  { reason: 'it registered a moment ago', overrides: { ageMs: 0 } },
];

for (const { reason: why, status: said = 'not-found', overrides: wishes = {}, begin, end } of keptCases) {
  await t.test(`kept: ${why}`, async (t) => {
    const stage = harnessWith(said, wishes);
    begin?.(stage);
    await stage.advance(longMs - 10 * secondMs);
    t.ok(stage.api.node(name), 'it is kept');
    t.strictSame(deletes(stage), []);
    if (end === undefined) return;
    end(stage);
    await stage.advance(2 * minuteMs);
    t.equal(stage.api.node(name), undefined, 'and goes soon after');
    t.ok(stage.api.node('awake') ?? why.startsWith('no Ready Node of the scope is left'), 'nobody else does');
  });
}

await t.test('kept: an id that hides the others does not hide them for ever', async (t) => {
  const stage = harnessWith('terminated');
  stage.cloud.setStatus('odd', 'left-out');
  stage.api.put(knownNode({ name: 'odd', ready: false }));
  await stage.advance(longMs);
  t.equal(stage.api.node(name), undefined);
  t.ok(stage.api.node('odd'));
});

for (const [what, change] of [
  ['Ready', (node) => withReady(node, true)],
  ['unmanaged', (node) => withLabel(node, 'polycloud.dev/cloud', 'false')],
] as const satisfies readonly [string, Parameters<ControllerHarness['api']['change']>[1]][]) {
  await t.test(`kept: ${what} at any second before the deletion`, async (t) => {
    for (let atMs = 0; atMs <= minuteMs; atMs += 10 * secondMs) {
      const stage = harnessWith('not-found');
      await stage.advance(atMs);
      stage.api.change(name, change);
      await stage.advance(longMs);
      t.ok(stage.api.node(name), `after ${atMs} ms`);
    }
  });
}

await t.test('Ready in between begins the sightings anew', async (t) => {
  const stage = harnessWith('not-found');
  await stage.advance(59 * secondMs);
  for (const ready of [true, false]) {
    stage.api.change(name, (node) => withReady(node, ready));
    await stage.advance(0);
  }
  await stage.advance(minuteMs);
  t.ok(stage.api.node(name));
  await stage.advance(5 * secondMs);
  t.equal(stage.api.node(name), undefined);
});

for (const [what, next] of [
  ['a restart', (stage) => stage.restart()],
  ['another lead of the same process', (stage) => stage.leadAgain()],
] as const satisfies readonly [string, (stage: ControllerHarness) => Promise<void>][]) {
  await t.test(`${what} begins the sightings anew`, async (t) => {
    const stage = harnessWith('not-found');
    await stage.advance(59 * secondMs);
    await next(stage);
    await stage.advance(minuteMs);
    t.ok(stage.api.node(name));
    await stage.advance(5 * secondMs);
    t.equal(stage.api.node(name), undefined);
  });
}

await t.test('another Node of the same name has no sightings', async (t) => {
  const stage = harnessWith('not-found');
  await stage.advance(59 * secondMs);
  stage.api.delete(name);
  const node = knownNode({ name, ready: false });
  stage.api.put({ ...node, metadata: { ...node.metadata, uid: 'another' } });
  await stage.advance(minuteMs);
  t.equal(stage.api.node(name)?.metadata.uid, 'another');
  await stage.advance(5 * secondMs);
  t.equal(stage.api.node(name), undefined);
});

for (const step of ['patch condition', 'create event', 'read Node', 'delete Node'] as const) {
  await t.test(`the lead is lost while "${step}" is under way`, async (t) => {
    const stage = harnessWith('terminated');
    await stage.advance(secondMs);
    const known = deletes(stage).length;
    stage.hooks.on(step, 'sent', () => void (stage.mayWrite = false));
    await stage.advance(30 * secondMs);
    t.strictSame(stage.hooks.pending(), []);
    // What is on its way when the lease ends can no longer be called back.
    if (step !== 'delete Node') t.ok(stage.api.node(name), 'no further write goes out');
    t.equal(deletes(stage).length, known + (step === 'delete Node' ? 1 : 0));
  });
}

await t.test('a follower writes nothing, and its successor decides from the beginning', async (t) => {
  const stage = harnessWith('terminated');
  stage.mayWrite = false;
  await stage.advance(longMs);
  t.strictSame(stage.api.requests, []);
  stage.mayWrite = true;
  await stage.restart();
  await stage.advance(10 * secondMs);
  t.ok(stage.api.node(name));
  await stage.advance(2 * secondMs);
  t.equal(stage.api.node(name), undefined);
});

await t.test('a Node whose deletion is refused is not asked to go all the time', async (t) => {
  const stage = harnessWith('terminated');
  stage.hooks.on('delete Node', 'sent', () => stage.api.change(name, (node) => withLabel(node, 'example.com/by', 'x')));
  await stage.advance(11 * secondMs + monitorPeriodMs);
  t.strictSame(deletes(stage), [`delete Node ${name}: conflict`, `delete Node ${name}`]);
});
