import t from 'tap';
import { knownNode, startHarness, withReady } from './harness.ts';
import type { ControllerHarness } from './harness.ts';

const key = 'polycloud.dev/confirm-deletions';
const missing = ['a', 'b', 'c', 'd'];
const afterSweepMs = 310_000;

/** Deletions are stopped, though no Node would be deleted: all are Ready. */
async function startWithStoppedDeletions(): Promise<ControllerHarness> {
  const harness = startHarness();
  for (const name of ['awake', ...missing]) harness.api.put(knownNode({ name }));
  await setCloudStatus(harness, 'not-found');
  return harness;
}

async function setCloudStatus({ cloud, advance }: ControllerHarness, status: 'running' | 'not-found'): Promise<void> {
  for (const name of missing) cloud.setStatus(name, status);
  await advance(afterSweepMs);
}

/** The last one that the log shows. */
function shownConfirmation({ logLines: said }: ControllerHarness): string {
  const line = said.findLast((each) => each.includes(`${key}=`)) ?? '';
  return /confirm-deletions=(\w+)/.exec(line)?.[1] ?? 'none';
}

function annotate({ api }: ControllerHarness, value: string): void {
  api.change('a', (node) => ({ ...node, metadata: { ...node.metadata, annotations: { [key]: value } } }));
}

/** The same instances are missing once more, and now their Nodes are not Ready. */
async function goMissingAgain(harness: ControllerHarness): Promise<void> {
  for (const name of missing) harness.api.change(name, (node) => withReady(node, false));
  await setCloudStatus(harness, 'not-found');
}

function doAllExist({ api }: ControllerHarness): boolean {
  return missing.every((name) => api.node(name) !== undefined);
}

await t.test('a confirmation that stayed on a Node confirms nothing for the next leader', async (t) => {
  const stage = await startWithStoppedDeletions();
  annotate(stage, shownConfirmation(stage));
  await setCloudStatus(stage, 'running');
  await stage.restart();
  await goMissingAgain(stage);
  t.ok(doAllExist(stage));
  annotate(stage, shownConfirmation(stage));
  await stage.advance(afterSweepMs);
  t.notOk(doAllExist(stage), 'the value that is shown now confirms');
});

await t.test('a confirmation that came too late confirms nothing when the same Nodes go missing again', async (t) => {
  const stage = await startWithStoppedDeletions();
  const value = shownConfirmation(stage);
  t.not(value, 'none');
  await setCloudStatus(stage, 'running');
  annotate(stage, value);
  await goMissingAgain(stage);
  t.ok(doAllExist(stage));
  t.not(shownConfirmation(stage), value);
});

for (const step of ['patch condition', 'read Node'] as const) {
  await t.test(`a deletion whose "${step}" takes long does not go out once deletions are stopped`, async (t) => {
    const { api, cloud, clock, hooks: steps, advance } = startHarness();
    for (const name of ['awake', ...missing]) api.put(knownNode({ name, ready: ['awake', 'd'].includes(name) }));
    for (const name of ['a', 'b', 'c']) cloud.setStatus(name, 'not-found');
    await advance(59_000);
    steps.on(step, 'sent', () => clock.sleep(30_000, new AbortController().signal));
    await advance(10_000);
    t.strictSame(steps.pending(), []);
    cloud.setStatus('d', 'not-found');
    api.change('d', (node) => withReady(node, false));
    await advance(60_000);
    const there = missing.filter((name) => api.node(name) !== undefined);
    t.equal(there.length, 2, `${there.join()}: the one that went missing last, and one whose turn took long`);
  });
}
