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
