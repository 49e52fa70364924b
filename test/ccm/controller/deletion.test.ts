import t from 'tap';
import type { Test } from 'tap';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import { knownNode, monitorPeriodMs, startStage, withLabel, withReady } from './stage.ts';
import type { Stage } from './stage.ts';
import { failureOf } from './toy-cloud.ts';
import type { Said } from './toy-cloud.ts';

const name = 'gone';
const secondMs = 1_000;
const minuteMs = 60_000;
/** Much longer than a deletion takes. */
const longMs = 3 * minuteMs;

/** A cluster with a Node that is not Ready and whose instance is gone, and a Ready one in the same scope. */
function stageWith(said: Said, wishes: Partial<Parameters<typeof knownNode>[0]> = {}): Stage {
  const stage = startStage();
  stage.api.put(knownNode({ name: 'awake' }));
  stage.cloud.says(name, said);
  stage.api.put(knownNode({ name, ready: false, ...wishes }));
  return stage;
}

function deletes({ api }: Stage): readonly string[] {
  return api.requests.filter((request) => request.startsWith('delete Node'));
}

await t.test('terminated: after the second sighting, which comes 10 s after the first', async (t) => {
  const stage = stageWith('terminated');
  await stage.advance(10 * secondMs);
  t.ok(stage.api.node(name), 'one sighting is not enough');
  await stage.advance(secondMs);
  t.equal(stage.api.node(name), undefined);
  t.strictSame(stage.cloud.looks.filter(({ names }) => names.includes(name)).length, 2);
  t.equal(stage.counted.deleted, 1);
});

await t.test('not found: after three sightings over a minute', async (t) => {
  const stage = stageWith('not-found');
  await stage.advance(minuteMs);
  t.ok(stage.api.node(name));
  await stage.advance(2 * secondMs);
  t.equal(stage.api.node(name), undefined);
  t.equal(stage.counted.deleted, 1);
});

await t.test('the report comes before the deletion', async (t) => {
  const stage = stageWith('terminated');
  await stage.advance(longMs);
  t.strictSame(
    stage.api.requests.filter((request) => request.endsWith(name)).slice(-4),
    ['patch condition', 'create event', 'read Node', 'delete Node'].map((step) => `${step} ${name}`),
  );
});

/** Why a Node that is not Ready, and whose instance the cloud calls gone, is kept for as long as it lasts. */
interface Kept {
  readonly why: string;
  readonly said?: Said;
  readonly wishes?: Partial<Parameters<typeof knownNode>[0]>;
  begin?(stage: Stage): void;
  /** After that it is deleted. Absent: the reason stays. */
  end?(stage: Stage): void;
}

const kept: readonly Kept[] = [
  {
    why: 'no Ready Node of the scope is found',
    begin: ({ cloud }) => cloud.says('awake', 'not-found'),
    end: ({ cloud }) => cloud.says('awake', 'running'),
  },
  {
    why: 'no Ready Node of the scope is left, and nobody vouches for it',
    begin: ({ cloud, api }) => {
      cloud.vouches = false;
      api.delete('awake');
    },
    end: ({ cloud }) => void (cloud.vouches = true),
  },
  {
    why: 'the Ready Node is in another scope',
    wishes: { place: 'there' },
    begin: ({ cloud }) => void (cloud.vouches = false),
  },
  {
    why: 'too many are missing at once',
    begin: ({ api, cloud }) => {
      for (const each of ['one', 'two', 'three']) {
        cloud.says(each, 'not-found');
        api.put(knownNode({ name: each, ready: false }));
      }
    },
  },
  {
    why: 'the cloud fails',
    begin: ({ cloud }) => void (cloud.trouble = () => Promise.reject(failureOf('unavailable'))),
    end: ({ cloud }) => void (cloud.trouble = undefined),
  },
  {
    why: 'the cloud refuses the credentials',
    begin: ({ cloud }) => void (cloud.trouble = () => Promise.reject(failureOf('denied'))),
    end: ({ cloud }) => void (cloud.trouble = undefined),
  },
  {
    why: 'the cloud throttles',
    begin: ({ cloud }) =>
      void (cloud.trouble = () => Promise.reject(failureOf('throttled', { retryAfterMs: 20 * secondMs }))),
    end: ({ cloud }) => void (cloud.trouble = undefined),
  },
  {
    why: 'the cloud does not answer',
    begin: ({ cloud }) =>
      void (cloud.trouble = (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        })),
    end: ({ cloud }) => void (cloud.trouble = undefined),
  },
  {
    why: 'a bug in the cloud’s part throws',
    begin: ({ cloud }) => void (cloud.trouble = () => Promise.reject(new TypeError('undefined is not a function'))),
    end: ({ cloud }) => void (cloud.trouble = undefined),
  },
  {
    why: 'the answer is empty',
    begin: ({ cloud }) => void (cloud.trouble = () => Promise.resolve(new Map())),
    end: ({ cloud }) => void (cloud.trouble = undefined),
  },
  { why: 'it is left out of the answer', said: 'left-out', end: ({ cloud }) => cloud.says(name, 'not-found') },
  { why: 'it could not be found out', said: 'unknown', end: ({ cloud }) => cloud.says(name, 'not-found') },
  { why: 'several instances could be it', said: 'ambiguous', end: ({ cloud }) => cloud.says(name, 'terminated') },
  { why: 'the instance runs', said: 'running', end: ({ cloud }) => cloud.says(name, 'terminated') },
  { why: 'the instance is stopped', said: 'stopped', end: ({ cloud }) => cloud.says(name, 'terminated') },
  { why: 'it is Ready', wishes: { ready: true }, end: ({ api }) => api.change(name, (node) => withReady(node, false)) },
  { why: 'it is unmanaged', wishes: { labels: { 'polycloud.dev/cloud': 'false' } } },
  { why: 'it is of another cloud', wishes: { providerId: 'elsewhere://here/gone' } },
  { why: 'it was never known: no providerID', wishes: { providerId: undefined } },
  { why: 'it was never known: it waits for its cloud', wishes: { taints: ['uninitialized'] } },
  { why: 'it registered a moment ago', wishes: { ageMs: 0 } },
];

for (const { why, said = 'not-found', wishes = {}, begin, end } of kept) {
  await t.test(`kept: ${why}`, async (t) => {
    const stage = stageWith(said, wishes);
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
  const stage = stageWith('terminated');
  stage.cloud.says('odd', 'left-out');
  stage.api.put(knownNode({ name: 'odd', ready: false }));
  await stage.advance(longMs);
  t.equal(stage.api.node(name), undefined);
  t.ok(stage.api.node('odd'));
});

for (const [what, change] of [
  ['Ready', (node) => withReady(node, true)],
  ['unmanaged', (node) => withLabel(node, 'polycloud.dev/cloud', 'false')],
] as const satisfies readonly [string, Parameters<Stage['api']['change']>[1]][]) {
  await t.test(`kept: ${what} at any second before the deletion`, async (t) => {
    for (let atMs = 0; atMs <= minuteMs; atMs += 10 * secondMs) {
      const stage = stageWith('not-found');
      await stage.advance(atMs);
      stage.api.change(name, change);
      await stage.advance(longMs);
      t.ok(stage.api.node(name), `after ${atMs} ms`);
    }
  });
}

await t.test('Ready in between begins the sightings anew', async (t) => {
  const stage = stageWith('not-found');
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
] as const satisfies readonly [string, (stage: Stage) => Promise<void>][]) {
  await t.test(`${what} begins the sightings anew`, async (t) => {
    const stage = stageWith('not-found');
    await stage.advance(59 * secondMs);
    await next(stage);
    await stage.advance(minuteMs);
    t.ok(stage.api.node(name));
    await stage.advance(5 * secondMs);
    t.equal(stage.api.node(name), undefined);
  });
}

await t.test('another Node of the same name has no sightings', async (t) => {
  const stage = stageWith('not-found');
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
    const stage = stageWith('terminated');
    await stage.advance(secondMs);
    const known = deletes(stage).length;
    stage.steps.at(step, 'sent', () => void (stage.mayWrite = false));
    await stage.advance(30 * secondMs);
    t.strictSame(stage.steps.left(), []);
    // What is on its way when the lease ends can no longer be called back.
    if (step !== 'delete Node') t.ok(stage.api.node(name), 'no further write goes out');
    t.equal(deletes(stage).length, known + (step === 'delete Node' ? 1 : 0));
  });
}

await t.test('a follower writes nothing, and its successor decides from the beginning', async (t) => {
  const stage = stageWith('terminated');
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

await t.test('terminated: not more than three a minute of a small scope', async (t) => {
  const stage = startStage();
  stage.api.put(knownNode({ name: 'awake' }));
  const all = ['a', 'b', 'c', 'd', 'e'];
  for (const each of all) {
    stage.cloud.says(each, 'terminated');
    stage.api.put(knownNode({ name: each, ready: false }));
  }
  await stage.advance(30 * secondMs);
  t.equal(stage.counted.deleted, 3);
  await stage.advance(minuteMs);
  t.equal(stage.counted.deleted, 5);
});

await t.test('the breaker: a confirmation counts on a missing Node only', async (t) => {
  const stage = startStage({ lifecycle: { ...defaultSettings, breakerNodes: 1, breakerPercent: 0 } });
  stage.api.put(knownNode({ name: 'awake' }));
  for (const each of ['a', 'b']) {
    stage.cloud.says(each, 'not-found');
    stage.api.put(knownNode({ name: each, ready: false }));
  }
  await stage.advance(2 * minuteMs);
  const text = stage.said.find((line) => line.startsWith('Deletions are stopped'));
  const word = /confirm-deletions=(\w+)/.exec(text ?? '')?.[1] ?? 'none';
  t.not(word, 'none', 'the log has it');
  const shown = JSON.stringify([stage.api.node('a'), stage.api.node('b'), stage.api.events]);
  t.notMatch(shown, word, 'conditions and events do not');
  t.match(shown, 'DeletionsStopped');
  stage.api.change('awake', (node) => annotated(node, word));
  await stage.advance(minuteMs);
  t.equal(stage.counted.deleted, 0, 'a healthy node’s kubelet confirms nothing');
  stage.api.change('a', (node) => annotated(node, word));
  await stage.advance(minuteMs);
  t.equal(stage.counted.deleted, 2);
  checkBreaker(t, stage);
});

function annotated(node: ReturnType<typeof knownNode>, value: string): ReturnType<typeof knownNode> {
  return { ...node, metadata: { ...node.metadata, annotations: { 'polycloud.dev/confirm-deletions': value } } };
}

function checkBreaker(t: Test, { counted }: Stage): void {
  t.strictSame([...counted.breakers], [['toy/here', false]]);
}

await t.test('a Node whose deletion is refused is not asked to go all the time', async (t) => {
  const stage = stageWith('terminated');
  stage.steps.at('delete Node', 'sent', () => stage.api.change(name, (node) => withLabel(node, 'example.com/by', 'x')));
  await stage.advance(11 * secondMs + monitorPeriodMs);
  t.strictSame(deletes(stage), [`delete Node ${name}: conflict`, `delete Node ${name}`]);
});
