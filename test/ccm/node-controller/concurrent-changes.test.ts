import t from 'tap';
import type { Test } from 'tap';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import { fail } from './memory-api-server.ts';
import { hasTaint, knownNode, monitorPeriodMs, newNode, startHarness, withLabel, withReady } from './harness.ts';
import type { ControllerHarness } from './harness.ts';
import type { RequestPhase, RequestKind } from './request-hooks.ts';

/** One path of the controller, up to the moment before it begins, and what holds one monitor period after its end. */
interface Scenario {
  readonly name: string;
  start(stage: ControllerHarness): Promise<void>;
  /** Until it has ended without an interruption. */
  readonly durationMs: number;
  readonly requests: readonly RequestKind[];
  check(t: Test, stage: ControllerHarness): void;
}

const name = 'node';
const other = 'awake';
const zone = 'topology.kubernetes.io/zone';
const gone = { name, ready: false };

const initialise: Scenario = {
  name: 'initialise',
  start: async ({ api }) => api.put(newNode({ name })),
  durationMs: 100,
  requests: ['look up', 'patch status', 'patch Node', 'create event'],
  check: (t, { api }) => {
    const node = api.node(name);
    t.notOk(hasTaint(node, 'uninitialized'));
    t.match(node, { spec: { providerID: 'toy://here/node' }, status: { addresses: [{ address: '10.0.0.7' }] } });
  },
};

const addTaint: Scenario = {
  name: 'add the shutdown taint',
  start: async ({ api, cloud }) => {
    cloud.setStatus(name, 'stopped');
    api.put(knownNode(gone));
  },
  durationMs: 100,
  requests: ['look up', 'patch Node'],
  check: (t, { api }) => t.ok(hasTaint(api.node(name), 'shutdown')),
};

const removeTaint: Scenario = {
  name: 'remove the shutdown taint, since the instance runs',
  start: async ({ api }) => api.put(knownNode({ ...gone, taints: ['shutdown'] })),
  durationMs: 100,
  requests: ['look up', 'patch Node'],
  check: (t, { api }) => t.notOk(hasTaint(api.node(name), 'shutdown')),
};

const removeTaintWithReport: Scenario = {
  ...removeTaint,
  name: 'remove the shutdown taint and the report that the instance was gone',
  start: async ({ api }) => {
    const node = withReady(knownNode({ ...gone, taints: ['shutdown'] }), false);
    const condition = { type: 'polycloud.dev/Instance', status: 'False', reason: 'InstanceGone' } as const;
    const conditions = [...(node.status.conditions ?? []), condition];
    api.put({ ...node, status: { ...node.status, conditions } });
  },
  // Its own report makes the first patch a conflict.
  requests: ['look up', 'patch condition', 'create event', 'patch Node', 'read Node'],
};

const removeTaintWhenReady: Scenario = {
  ...removeTaint,
  name: 'remove the shutdown taint, since the Node is Ready',
  start: async ({ api, cloud, advance }) => {
    cloud.setStatus(name, 'stopped');
    api.put(knownNode({ ...gone, taints: ['shutdown'] }));
    await advance(1_000);
    cloud.setStatus(name, 'running');
    api.change(name, (node) => withReady(node, true));
  },
  requests: ['patch Node'],
};

const secondSightingAfterMs = 11_000;
const deleteNode: Scenario = {
  name: 'delete',
  start: async ({ api, cloud, advance }) => {
    cloud.setStatus(name, 'terminated');
    api.put(knownNode(gone));
    await advance(1_000);
  },
  durationMs: secondSightingAfterMs,
  requests: ['look up', 'patch condition', 'create event', 'read Node', 'delete Node'],
  check: (t, { api }) => t.equal(api.node(name), undefined),
};

const firstSweepWithinMs = 300_000;
const repair: Scenario = {
  name: 'repair',
  start: async ({ api, advance }) => {
    api.put(knownNode({ name }));
    await advance(1_000);
    api.change(name, (node) => withLabel(node, zone, 'wrong'));
  },
  durationMs: firstSweepWithinMs,
  requests: ['look up', 'patch Node'],
  check: (t, { api }) => t.equal(api.node(name)?.metadata.labels?.[zone], 'here-a'),
};

const scenarios = [
  initialise,
  addTaint,
  removeTaint,
  removeTaintWithReport,
  removeTaintWhenReady,
  deleteNode,
  repair,
] as const;
const phases: readonly RequestPhase[] = ['sent', 'answered'];

/** Plays the path with something that happens at one of its awaits, and then one monitor period. */
async function runScenario(
  { start, durationMs }: Scenario,
  interrupt: (harness: ControllerHarness) => void,
): Promise<ControllerHarness> {
  const harness = startHarness();
  harness.api.put(knownNode({ name: other }));
  await harness.advance(0);
  await start(harness);
  interrupt(harness);
  await harness.advance(durationMs);
  harness.api.releaseWatch();
  await harness.advance(monitorPeriodMs);
  return harness;
}

for (const path of scenarios) {
  await t.test(`${path.name}: without an interruption`, async (t) => path.check(t, await runScenario(path, () => {})));

  for (const step of path.requests) {
    await t.test(`${path.name}: a write by another client while "${step}" is under way`, async (t) => {
      const stage = await runScenario(path, ({ api, hooks: steps }) => {
        steps.on(step, 'sent', () => {
          // The watch may deliver it late.
          api.holdWatch();
          api.change(name, (node) => withLabel(node, 'example.com/by', 'somebody'));
        });
      });
      t.strictSame(stage.hooks.pending(), []);
      path.check(t, stage);
      const node = stage.api.node(name);
      if (node !== undefined) t.equal(node.metadata.labels?.['example.com/by'], 'somebody', 'and is kept');
    });
  }
}

for (const path of [addTaint, removeTaint, removeTaintWithReport, deleteNode]) {
  for (const step of path.requests) {
    for (const moment of phases.slice(0, step === 'delete Node' ? 1 : 2)) {
      await t.test(`${path.name}: the Node becomes Ready when "${step}" is ${moment}`, async (t) => {
        const stage = await runScenario(path, ({ api, hooks: steps }) => {
          steps.on(step, moment, () => api.change(name, (node) => withReady(node, true)));
        });
        t.strictSame(stage.hooks.pending(), []);
        t.ok(stage.api.node(name), 'it is kept');
        t.notOk(hasTaint(stage.api.node(name), 'shutdown'), 'and has no shutdown taint');
      });
    }
  }
}

for (const path of [initialise, addTaint, removeTaint, removeTaintWithReport, deleteNode, repair]) {
  for (const step of path.requests.slice(0, path === initialise ? -1 : undefined)) {
    await t.test(`${path.name}: the Node is taken out of our hands while "${step}" is under way`, async (t) => {
      let before = 0;
      const stage = await runScenario(path, ({ api, hooks: steps }) => {
        steps.on(step, 'sent', () => {
          api.change(name, (node) => withLabel(withLabel(node, zone, 'wrong'), 'polycloud.dev/cloud', 'false'));
          before = api.requests.length;
        });
      });
      t.strictSame(stage.hooks.pending(), []);
      t.ok(stage.api.node(name), 'it is kept');
      const writes = stage.api.requests.slice(before).filter((each) => /^(patch Node|patch status|delete)/.test(each));
      t.strictSame(
        writes.filter((each) => !each.endsWith(': conflict')),
        [],
        'and is not written any more',
      );
    });
  }
}

for (const step of deleteNode.requests) {
  await t.test(`delete: another Node takes the name while "${step}" is under way`, async (t) => {
    const stage = await runScenario(deleteNode, ({ api, hooks: steps, cloud }) => {
      steps.on(step, 'sent', () => {
        cloud.setStatus(name, 'running');
        api.delete(name);
        const node = knownNode(gone);
        api.put({ ...node, metadata: { ...node.metadata, uid: 'another' } });
      });
    });
    t.strictSame(stage.hooks.pending(), []);
    t.equal(stage.api.node(name)?.metadata.uid, 'another');
  });
}

await t.test('delete: Ready in between, for a moment, while the report is written', async (t) => {
  const stage = await runScenario(deleteNode, ({ api, hooks: steps }) => {
    steps.on('create event', 'sent', async () => {
      for (const ready of [true, false]) {
        api.change(name, (node) => withReady(node, ready));
        await Promise.resolve();
      }
    });
  });
  t.ok(stage.api.node(name), 'all sightings are void');
  await stage.advance(secondSightingAfterMs + monitorPeriodMs);
  t.equal(stage.api.node(name), undefined, 'with new ones it is deleted');
});

await t.test('delete: Ready in between, for a moment, while a report fails', async (t) => {
  const stage = await runScenario(deleteNode, ({ api, hooks: steps }) => {
    steps.on('create event', 'sent', async () => {
      for (const ready of [true, false]) {
        api.change(name, (node) => withReady(node, ready));
        await Promise.resolve();
      }
      fail('unavailable');
    });
  });
  t.ok(stage.api.node(name), 'the failure does not bring the sightings back');
});

for (const path of [addTaint, removeTaint, removeTaintWhenReady, initialise, deleteNode]) {
  const [step = 'look up'] = path.requests.slice(-1);
  await t.test(`${path.name}: "${step}" fails once`, async (t) => {
    const stage = await runScenario(path, ({ hooks: steps }) => steps.on(step, 'sent', () => fail('unavailable')));
    t.strictSame(stage.hooks.pending(), []);
    path.check(t, stage);
  });
}

await t.test('a Node that changes under every write is tried again later, and not without a pause', async (t) => {
  const stage = await runScenario(removeTaintWhenReady, ({ api, hooks: steps }) => {
    for (let times = 0; times < 8; times += 1) {
      steps.on('patch Node', 'sent', () =>
        api.change(name, (node) => withLabel(node, 'example.com/count', `${times}`)),
      );
    }
  });
  const refused = stage.api.requests.filter((request) => request === 'patch Node node: conflict');
  t.equal(refused.length, 8);
  removeTaintWhenReady.check(t, stage);
});

await t.test(
  'a shutdown taint that another client adds to a Ready Node is removed, also when the first patch fails',
  async (t) => {
    const stage = startHarness();
    stage.api.put(knownNode({ name }));
    await stage.advance(60_000);
    const { taints = [] } = knownNode({ name, taints: ['shutdown'] }).spec;
    stage.api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
    stage.hooks.on('patch Node', 'sent', () => fail('unavailable'));
    await stage.advance(0);
    t.ok(hasTaint(stage.api.node(name), 'shutdown'));
    await stage.advance(monitorPeriodMs);
    t.notOk(hasTaint(stage.api.node(name), 'shutdown'));
  },
);

await t.test('after a conflict only the taints that are still missing are added', async (t) => {
  const stage = startHarness({ lifecycle: { ...defaultSettings, outOfServiceTaint: true } });
  stage.cloud.setStatus(name, 'stopped');
  stage.api.put(knownNode(gone));
  const { taints = [] } = knownNode({ name, taints: ['shutdown'] }).spec;
  stage.hooks.on('patch Node', 'sent', () => {
    stage.api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
  });
  await stage.advance(monitorPeriodMs);
  t.strictSame(
    stage.api.node(name)?.spec.taints?.map(({ key }) => key),
    ['node.cloudprovider.kubernetes.io/shutdown', 'node.kubernetes.io/out-of-service'],
  );
});

await t.test('a Node that another cloud gets by its label is asked for there at once', async (t) => {
  const stage = await runScenario(repair, ({ api, hooks: steps }) => {
    steps.on('look up', 'sent', () => api.change(name, (node) => withLabel(node, 'polycloud.dev/cloud', 'other')));
  });
  t.equal(stage.otherCloud.lookups.length, 0, 'its providerID is not one of that cloud');
  const bare = startHarness();
  bare.api.put(knownNode({ name, providerId: undefined }));
  bare.hooks.on('look up', 'sent', () =>
    bare.api.change(name, (node) => withLabel(node, 'polycloud.dev/cloud', 'other')),
  );
  await bare.advance(monitorPeriodMs);
  t.match(bare.otherCloud.lookups, [{ names: [name] }]);
});
