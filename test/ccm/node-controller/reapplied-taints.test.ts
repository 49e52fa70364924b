import t from 'tap';
import type { Test } from 'tap';
import { knownNode, monitorPeriodMs, newNode, startHarness } from './harness.ts';
import type { ControllerHarness } from './harness.ts';

const name = 'node';
const hourMs = 3_600_000;
/** Once a minute at most, after some that come sooner. */
const maxTimes = 130;

function reapplyTaint(api: ControllerHarness['api']): void {
  const { taints = [] } = newNode({ name }).spec;
  api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
}

function check(t: Test, { api, counts, logLines }: ControllerHarness): void {
  const patches = api.requests.filter((request) => request === `patch Node ${name}`);
  t.ok(patches.length > 10 && patches.length < maxTimes, `${patches.length} patches`);
  t.ok(logLines.length < maxTimes, `${logLines.length} lines`);
  t.match(api.events, [{ reason: 'Synced' }]);
  t.equal(api.events.length, 1);
  t.equal(counts.initialized, 1);
}

await t.test('a taint that a webhook puts back with each write is removed less and less often', async (t) => {
  const stage = startHarness();
  const { api, advance } = stage;
  const { patch } = api.client;
  api.client.patch = async (...request) => {
    const patched = await patch(...request);
    if (request[1].subresource !== undefined) return patched;
    reapplyTaint(api);
    return api.node(name) as never;
  };
  api.put(newNode({ name }));
  await advance(hourMs);
  check(t, stage);
});

await t.test('a taint that another client adds each time is removed with backoff', async (t) => {
  const stage = startHarness();
  const { api, hooks: steps, advance } = stage;
  const plan = (): void => {
    steps.on('patch Node', 'answered', () => {
      plan();
      reapplyTaint(api);
    });
  };
  plan();
  api.put(newNode({ name }));
  await advance(hourMs);
  check(t, stage);
});

await t.test('a taint that another client adds later is removed with backoff', async (t) => {
  const stage = startHarness();
  const { api, advance } = stage;
  api.put(newNode({ name }));
  for (let seconds = 0; seconds < 3_600; seconds += 1) {
    await advance(1_000);
    if (api.node(name)?.spec.taints?.length === 0) reapplyTaint(api);
  }
  check(t, stage);
});

for (const who of ['a webhook', 'somebody'] as const) {
  await t.test(`a shutdown taint that ${who} puts back on a Ready Node is not removed without a pause`, async (t) => {
    const { api, advance } = startHarness();
    const { taints = [] } = knownNode({ name, taints: ['shutdown'] }).spec;
    const { patch } = api.client;
    let patches = 0;
    api.client.patch = async (...request) => {
      const patched = await patch(...request);
      patches += 1;
      // Without the pause this would go on for ever.
      if (patches < 1_000) api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
      return who === 'a webhook' ? (api.node(name) as never) : patched;
    };
    api.put(knownNode({ name }));
    await advance(60_000);
    api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
    await advance(10 * 60_000);
    t.ok(patches > 100 && patches <= (10 * 60_000) / monitorPeriodMs + 1, `${patches} patches`);
  });
}
