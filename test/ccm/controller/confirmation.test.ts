import t from 'tap';
import { knownNode, startStage, withReady } from './stage.ts';
import type { Stage } from './stage.ts';

const key = 'polycloud.dev/confirm-deletions';
const missing = ['a', 'b', 'c', 'd'];
const longerThanSweepMs = 310_000;

/** Deletions are stopped, though no Node would be deleted: all are Ready. */
async function startStopped(): Promise<Stage> {
  const stage = startStage();
  for (const name of ['awake', ...missing]) stage.api.put(knownNode({ name }));
  await cloudSays(stage, 'not-found');
  return stage;
}

async function cloudSays({ cloud, advance }: Stage, said: 'running' | 'not-found'): Promise<void> {
  for (const name of missing) cloud.says(name, said);
  await advance(longerThanSweepMs);
}

/** The last one that the log shows. */
function shownValue({ said }: Stage): string {
  const line = said.findLast((each) => each.includes(`${key}=`)) ?? '';
  return /confirm-deletions=(\w+)/.exec(line)?.[1] ?? 'none';
}

function annotate({ api }: Stage, value: string): void {
  api.change('a', (node) => ({ ...node, metadata: { ...node.metadata, annotations: { [key]: value } } }));
}

/** The same instances are missing once more, and now their Nodes are not Ready. */
async function goMissingAgain(stage: Stage): Promise<void> {
  for (const name of missing) stage.api.change(name, (node) => withReady(node, false));
  await cloudSays(stage, 'not-found');
}

function areAllThere({ api }: Stage): boolean {
  return missing.every((name) => api.node(name) !== undefined);
}

await t.test('a confirmation that stayed on a Node confirms nothing for the next leader', async (t) => {
  const stage = await startStopped();
  annotate(stage, shownValue(stage));
  await cloudSays(stage, 'running');
  await stage.restart();
  await goMissingAgain(stage);
  t.ok(areAllThere(stage));
  annotate(stage, shownValue(stage));
  await stage.advance(longerThanSweepMs);
  t.notOk(areAllThere(stage), 'the value that is shown now confirms');
});

await t.test('a confirmation that came too late confirms nothing when the same Nodes go missing again', async (t) => {
  const stage = await startStopped();
  const value = shownValue(stage);
  t.not(value, 'none');
  await cloudSays(stage, 'running');
  annotate(stage, value);
  await goMissingAgain(stage);
  t.ok(areAllThere(stage));
  t.not(shownValue(stage), value);
});

for (const step of ['patch condition', 'read Node'] as const) {
  await t.test(`a deletion whose "${step}" takes long does not go out once deletions are stopped`, async (t) => {
    const { api, cloud, clock, steps, advance } = startStage();
    for (const name of ['awake', ...missing]) api.put(knownNode({ name, ready: ['awake', 'd'].includes(name) }));
    for (const name of ['a', 'b', 'c']) cloud.says(name, 'not-found');
    await advance(59_000);
    steps.at(step, 'sent', () => clock.sleep(30_000, new AbortController().signal));
    await advance(10_000);
    t.strictSame(steps.left(), []);
    cloud.says('d', 'not-found');
    api.change('d', (node) => withReady(node, false));
    await advance(60_000);
    const there = missing.filter((name) => api.node(name) !== undefined);
    t.equal(there.length, 2, `${there.join()}: the one that went missing last, and one whose turn took long`);
  });
}
