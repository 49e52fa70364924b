import t from 'tap';
import { hasTaint, knownNode, monitorPeriodMs, newNode, startStage } from './stage.ts';

const name = 'node';

await t.test('look-ups that the end of the lead breaks off are no trouble of the cloud', async (t) => {
  const { api, cloud, said, leadAgain, advance } = startStage();
  cloud.trouble = (_nodes, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  for (const each of ['one', 'other']) api.put(newNode({ name: each }));
  await advance(2_000);
  cloud.trouble = undefined;
  await leadAgain();
  t.strictSame(said, []);
  await advance(2_000);
  t.notOk(hasTaint(api.node('one'), 'uninitialized'), 'the next lead asks again');
});

await t.test('writes that the end of the lead breaks off are no trouble of the Node', async (t) => {
  const { api, steps, said, leadAgain, advance } = startStage();
  api.put(newNode({ name }));
  let next: Promise<void> | undefined;
  steps.at('patch status', 'sent', () => {
    next = leadAgain();
    throw new Error('the lead has ended');
  });
  await advance(2_000);
  await next;
  t.strictSame(steps.left(), []);
  t.match(said, [/^Node initialised /]);
  t.equal(said.length, 1);
});

await t.test('what was not written while the lease was in doubt is written soon after', async (t) => {
  const stage = startStage();
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
  t.match(stage.said, [/^Taint removed /]);
  t.equal(stage.said.length, 1);
});
