import t from 'tap';
import type { Test } from 'tap';
import { keys } from '../../../schemas/keys.ts';
import { knownNode, startHarness, withLabel } from './harness.ts';
import type { ControllerHarness } from './harness.ts';
import { furtherRegionLabel } from './toy-cloud.ts';

const name = 'gone';
const secondMs = 1_000;

/** A Node whose instance is found nowhere, and Ready ones in two places. */
function startWithMissing(): ControllerHarness {
  const harness = startHarness();
  harness.api.put(knownNode({ name: 'awake' }));
  harness.api.put(knownNode({ name: 'awake-there', region: 'there' }));
  harness.cloud.setStatus(name, 'not-found');
  harness.api.put(knownNode({ name, ready: false }));
  return harness;
}

async function deletedAfterAMinute(t: Test, { api, advance }: ControllerHarness): Promise<void> {
  await advance(59 * secondMs);
  t.ok(api.node(name));
  await advance(6 * secondMs);
  t.equal(api.node(name), undefined);
}

await t.test('a result from one scope before another scope was asked too does not count', async (t) => {
  const stage = startWithMissing();
  await stage.advance(59 * secondMs);
  stage.api.change(name, (node) => withLabel(node, furtherRegionLabel, 'there'));
  await deletedAfterAMinute(t, stage);
});

await t.test(
  'a Node that another place has to be asked for stays, also when that shows while one is asked',
  async (t) => {
    const stage = startWithMissing();
    await stage.advance(59 * secondMs);
    stage.hooks.on('look up', 'sent', () =>
      stage.api.change(name, (node) => withLabel(node, furtherRegionLabel, 'there')),
    );
    await deletedAfterAMinute(t, stage);
    t.strictSame(stage.hooks.pending(), []);
  },
);

await t.test('a Node that comes back into our hands has no sightings', async (t) => {
  const stage = startWithMissing();
  await stage.advance(59 * secondMs);
  for (const value of ['false', 'toy']) {
    stage.api.change(name, (node) => withLabel(node, keys.ownership, value));
    await stage.advance(0);
  }
  await deletedAfterAMinute(t, stage);
});
