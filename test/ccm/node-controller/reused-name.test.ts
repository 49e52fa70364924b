import t from 'tap';
import type { Node } from '../../../schemas/kubernetes.ts';
import { keys } from '../../../schemas/keys.ts';
import { knownNode, startHarness, sweepMs, withLabel, withReady } from './harness.ts';
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

function withId(node: Node, instanceId: string): Node {
  const annotations = { ...node.metadata.annotations, [keys.instanceId]: instanceId };
  return { ...node, metadata: { ...node.metadata, annotations } };
}

/** The cloud has another instance of this name, and its kubelet writes the Node. */
function takeOver({ cloud, api }: ControllerHarness, node = name): void {
  cloud.setInstanceId(node, '2');
  api.change(node, (before) => withMachine(before, 'boot-2'));
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

await t.test('taken over while no controller leads, and Ready: adopted, also as it is not Ready later', async (t) => {
  const harness = await harnessWithIds();
  takeOver(harness);
  await harness.restart();
  await harness.advance(minuteMs);
  t.equal(idOn(harness, name), '2');
  harness.api.change(name, (node) => withReady(node, false));
  await harness.advance(2 * minuteMs);
  t.ok(harness.api.node(name));
});

await t.test(
  'taken over while no controller leads, and not Ready yet: kept, and adopted when it is Ready',
  async (t) => {
    const harness = await harnessWithIds();
    takeOver(harness);
    harness.api.change(name, (node) => withReady(node, false));
    await harness.restart();
    await harness.advance(2 * minuteMs);
    t.ok(harness.api.node(name));
    t.equal(idOn(harness, name), `1-${name}`);
    harness.api.change(name, (node) => withReady(node, true));
    await harness.advance(sweepMs);
    t.equal(idOn(harness, name), '2');
  },
);

await t.test('after a restart a Ready node with another id is no canary', async (t) => {
  const harness = await harnessWithIds();
  takeOver(harness, 'other');
  harness.cloud.setStatus(name, 'terminated');
  harness.api.change(name, (node) => withReady(node, false));
  await harness.restart();
  await harness.advance(1_000);
  const sighted = harness.controller.nodes().get(`uid-of-${name}`)?.record?.sightings;
  t.strictSame(sighted, {});
});

/** As many are, looked up together with others. */
async function harnessWithLists(durationMs: number): Promise<ControllerHarness> {
  const harness = startHarness({ nodeStatusUpdateFrequencyMs: minuteMs });
  for (const each of [name, 'other']) {
    harness.cloud.setInstanceId(each, `1-${each}`, 'list');
    harness.api.put(withMachine(knownNode({ name: each }), 'boot-1'));
  }
  await harness.advance(durationMs);
  return harness;
}

await t.test('taken over, and a list lags behind: kept, and adopted when the list is up to date', async (t) => {
  for (const listedMs of [0, 10 * minuteMs]) {
    const harness = await harnessWithLists(listedMs);
    harness.api.change(name, (node) => withReady(withMachine(node, 'boot-2'), false));
    await harness.advance(30_000);
    harness.cloud.setInstanceId(name, '2');
    harness.cloud.setInstanceId('other', '1-other');
    await harness.advance(3 * minuteMs);
    t.ok(harness.api.node(name), `after ${String(listedMs)} ms`);
    harness.api.change(name, (node) => withReady(node, true));
    await harness.advance(2 * minuteMs);
    t.equal(idOn(harness, name), '2');
  }
});

await t.test('replaced, and only lists have shown its instance: deleted if they did so for long enough', async (t) => {
  for (const [listedMs, isKept] of [
    [30_000, true],
    [10 * minuteMs, false],
  ] as const) {
    const harness = await harnessWithLists(listedMs);
    harness.cloud.setInstanceId(name, '2');
    harness.cloud.setInstanceId('other', '1-other');
    harness.api.change(name, (node) => withReady(node, false));
    await harness.advance(3 * minuteMs);
    t.equal(harness.api.node(name) !== undefined, isKept, `after ${String(listedMs)} ms`);
  }
});

const interruptions: ReadonlyArray<readonly [moment: string, begin: (harness: ControllerHarness) => void]> = [
  [
    'the look-up returns the instance before',
    (harness) => harness.hooks.on('look up', 'answered', () => takeOver(harness)),
  ],
  [
    'the look-up returns the instance before, and the new machine has an agent',
    (harness) =>
      harness.hooks.on('look up', 'answered', () => {
        takeOver(harness);
        harness.api.change(name, (node) => withId(node, '2'));
      }),
  ],
  [
    'the Node is written for the instance before',
    (harness) => {
      harness.api.change(name, (node) => withLabel(node, 'topology.kubernetes.io/zone', 'wrong'));
      harness.hooks.on('patch Node', 'sent', () => takeOver(harness));
    },
  ],
  [
    'the Node is deleted: its kubelet has started and is not Ready yet',
    (harness) => {
      harness.cloud.setInstanceId(name, '2');
      harness.hooks.on('read Node', 'sent', () => takeOver(harness));
      harness.api.change(name, (node) => withReady(node, false));
    },
  ],
];
for (const [moment, begin] of interruptions) {
  await t.test(`taken over while ${moment}: adopted`, async (t) => {
    const harness = await harnessWithIds();
    begin(harness);
    await harness.advance(2 * sweepMs);
    t.strictSame(harness.hooks.pending(), []);
    t.equal(idOn(harness, name), '2');
    harness.api.change(name, (node) => withReady(node, false));
    await harness.advance(2 * minuteMs);
    t.ok(harness.api.node(name));
  });
}

const keptCases: ReadonlyArray<readonly [reason: string, begin: (harness: ControllerHarness) => void]> = [
  ['the Node is Ready', ({ cloud }) => cloud.setInstanceId(name, '2')],
  [
    'its machine has no ids',
    ({ cloud, api }) => {
      api.change(name, (node) => ({ ...node, status: { ...node.status, nodeInfo: { systemUUID: '', bootID: '' } } }));
      cloud.setInstanceId(name, '2');
      api.change(name, (node) => withReady(node, false));
    },
  ],
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
