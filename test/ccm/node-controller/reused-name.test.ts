import t from 'tap';
import type { Node } from '../../../schemas/kubernetes.ts';
import { keys } from '../../../schemas/keys.ts';
import { knownNode, startHarness, withReady } from './harness.ts';
import type { ControllerHarness } from './harness.ts';

const minuteMs = 60_000;
const name = 'reused';

/** A Node whose instance has the immutable id 1, next to a Ready one. */
async function harnessWithIds(): Promise<ControllerHarness> {
  const harness = startHarness();
  for (const each of [name, 'other']) {
    harness.cloud.setInstanceId(each, `1-${each}`);
    harness.api.put(withMachine(knownNode({ name: each }), 'boot-1'));
  }
  await harness.advance(minuteMs);
  return harness;
}

function withMachine(node: Node, bootID: string): Node {
  return { ...node, status: { ...node.status, nodeInfo: { systemUUID: 'uuid', bootID } } };
}

function idOn({ api }: ControllerHarness, node: string): string | undefined {
  return api.node(node)?.metadata.annotations?.[keys.instanceId];
}

await t.test('the id is written on the Node, once', async (t) => {
  const harness = await harnessWithIds();
  t.equal(idOn(harness, name), `1-${name}`);
  const { length } = harness.api.requests;
  await harness.advance(10 * minuteMs);
  t.equal(harness.api.requests.length, length);
});

await t.test('replaced, and the Node is not Ready: it is deleted as terminated', async (t) => {
  const harness = await harnessWithIds();
  harness.cloud.setInstanceId(name, '2');
  harness.api.change(name, (node) => withReady(node, false));
  await harness.advance(8_000);
  t.ok(harness.api.node(name), 'not after one observation');
  await harness.advance(minuteMs);
  t.equal(harness.api.node(name), undefined);
  t.ok(harness.api.node('other'));
  t.ok(harness.logLines.some((line) => line.startsWith('Node deleted') && line.includes('replaced by 2')));
});

await t.test('replaced, and the kubelet of the new machine has the Node: it is adopted', async (t) => {
  const harness = await harnessWithIds();
  harness.cloud.setInstanceId(name, '2');
  harness.api.change(name, (node) => withReady(withMachine(node, 'boot-2'), false));
  await harness.advance(3 * minuteMs);
  t.ok(harness.api.node(name));
  t.equal(idOn(harness, name), '2');
});

await t.test('after a restart of the controller there is no proof of another machine', async (t) => {
  const harness = await harnessWithIds();
  await harness.restart();
  harness.cloud.setInstanceId(name, '2');
  await harness.advance(0);
  t.equal(idOn(harness, name), `1-${name}`);
});

const keptCases: ReadonlyArray<readonly [reason: string, begin: (harness: ControllerHarness) => void]> = [
  ['the Node is Ready', ({ cloud }) => cloud.setInstanceId(name, '2')],
  [
    'the other instance is only in a list',
    ({ cloud, api }) => {
      cloud.setInstanceId(name, '2', 'list');
      api.change(name, (node) => withReady(node, false));
    },
  ],
  [
    'the Ready Node of the scope is replaced as well: these are other machines of the same names',
    ({ cloud, api }) => {
      for (const each of [name, 'other']) cloud.setInstanceId(each, '2');
      api.change(name, (node) => withReady(node, false));
    },
  ],
];
for (const [reason, begin] of keptCases) {
  await t.test(`kept: ${reason}`, async (t) => {
    const harness = await harnessWithIds();
    begin(harness);
    await harness.advance(15 * minuteMs);
    t.ok(harness.api.node(name));
    t.ok(harness.api.node('other'));
    t.equal(idOn(harness, name), `1-${name}`, 'nothing of the other instance is written');
  });
}

await t.test('what cannot be read is read again within 10 s', async (t) => {
  const harness = startHarness();
  harness.cloud.unread = ['labels'];
  harness.api.put(knownNode({ name }));
  await harness.advance(minuteMs);
  const lookupsAtMs = harness.cloud.lookups.map(({ atMs }) => atMs);
  t.ok(lookupsAtMs.length > 1);
  t.ok(lookupsAtMs.every((atMs, at) => atMs - (lookupsAtMs[at - 1] ?? 0) <= 10_000));
  harness.cloud.unread = undefined;
  await harness.advance(10_000);
  const { length } = harness.cloud.lookups;
  await harness.advance(minuteMs);
  t.equal(harness.cloud.lookups.length, length);
});
