import t from 'tap';
import type { Test } from 'tap';
import { keys } from '../../../schemas/keys.ts';
import { knownNode, startStage, withLabel } from './stage.ts';
import type { Stage } from './stage.ts';
import { furtherPlace } from './toy-cloud.ts';

const name = 'gone';
const secondMs = 1_000;

/** A Node whose instance is found nowhere, and Ready ones in two places. */
function startMissing(): Stage {
  const stage = startStage();
  stage.api.put(knownNode({ name: 'awake' }));
  stage.api.put(knownNode({ name: 'awake-there', place: 'there' }));
  stage.cloud.says(name, 'not-found');
  stage.api.put(knownNode({ name, ready: false }));
  return stage;
}

async function goesAfterAMinute(t: Test, { api, advance }: Stage): Promise<void> {
  await advance(59 * secondMs);
  t.ok(api.node(name));
  await advance(6 * secondMs);
  t.equal(api.node(name), undefined);
}

await t.test('what one place said before another one was asked too does not count', async (t) => {
  const stage = startMissing();
  await stage.advance(59 * secondMs);
  stage.api.change(name, (node) => withLabel(node, furtherPlace, 'there'));
  await goesAfterAMinute(t, stage);
});

await t.test(
  'a Node that another place has to be asked for stays, also when that shows while one is asked',
  async (t) => {
    const stage = startMissing();
    await stage.advance(59 * secondMs);
    stage.steps.at('look', 'sent', () => stage.api.change(name, (node) => withLabel(node, furtherPlace, 'there')));
    await goesAfterAMinute(t, stage);
    t.strictSame(stage.steps.left(), []);
  },
);

await t.test('a Node that comes back into our hands has no sightings', async (t) => {
  const stage = startMissing();
  await stage.advance(59 * secondMs);
  for (const value of ['false', 'toy']) {
    stage.api.change(name, (node) => withLabel(node, keys.ownership, value));
    await stage.advance(0);
  }
  await goesAfterAMinute(t, stage);
});
