import t from 'tap';
import { hasTaint, knownNode, monitorPeriodMs, newNode, startHarness } from './harness.ts';

const name = 'node';

await t.test('look-ups that the end of the lead breaks off are no trouble of the cloud', async (t) => {
  const { api, cloud, logLines: said, leadAgain, advance } = startHarness();
  cloud.lookUpOverride = (_nodes, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  for (const each of ['one', 'other']) api.put(newNode({ name: each }));
  await advance(2_000);
  cloud.lookUpOverride = undefined;
  await leadAgain();
  t.strictSame(said, []);
  await advance(2_000);
  t.notOk(hasTaint(api.node('one'), 'uninitialized'), 'the next lead asks again');
});

await t.test('writes that the end of the lead breaks off are no trouble of the Node', async (t) => {
  const { api, hooks: steps, logLines: said, leadAgain, advance } = startHarness();
  api.put(newNode({ name }));
  let next: Promise<void> | undefined;
  steps.on('patch status', 'sent', () => {
    next = leadAgain();
    throw new Error('the lead has ended');
  });
  await advance(2_000);
  await next;
  t.strictSame(steps.pending(), []);
  t.match(said, [/^Node initialised /]);
  t.equal(said.length, 1);
});

await t.test('what was not written while the lease was in doubt is written soon after', async (t) => {
  const stage = startHarness();
  stage.api.put(knownNode({ name }));
  await stage.advance(60_000);
  stage.mayWrite = false;
  const { taints = [] } = knownNode({ name, taints: ['shutdown'] }).spec;
  stage.api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
  await stage.advance(2_000);
  t.ok(hasTaint(stage.api.node(name), 'shutdown'));
  stage.mayWrite = true;
  await stage.advance(monitorPeriodMs);
  t.notOk(hasTaint(stage.api.node(name), 'shutdown'));
  t.match(stage.logLines, [/^Taint removed /]);
  t.equal(stage.logLines.length, 1);
});
