import t from 'tap';
import type { Test } from 'tap';
import { defaultSettings } from '../../../ccm/lifecycle/settings.ts';
import { fail } from './memory-api-server.ts';
import { hasTaint, knownNode, monitorPeriodMs, newNode, startStage, withLabel, withReady } from './stage.ts';
import type { Stage } from './stage.ts';
import type { Moment, Step } from './steps.ts';

/** One path of the controller, up to the moment before it begins, and what holds one monitor period after its end. */
interface Path {
  readonly name: string;
  begin(stage: Stage): Promise<void>;
  /** Until it has ended without an interruption. */
  readonly lastsMs: number;
  readonly awaits: readonly Step[];
  check(t: Test, stage: Stage): void;
}

const name = 'node';
const other = 'awake';
const zone = 'topology.kubernetes.io/zone';
const gone = { name, ready: false };

const initialise: Path = {
  name: 'initialise',
  begin: async ({ api }) => api.put(newNode({ name })),
  lastsMs: 100,
  awaits: ['look', 'patch status', 'patch Node', 'create event'],
  check: (t, { api }) => {
    const node = api.node(name);
    t.notOk(hasTaint(node, 'uninitialized'));
    t.match(node, { spec: { providerID: 'toy://here/node' }, status: { addresses: [{ address: '10.0.0.7' }] } });
  },
};

const addTaint: Path = {
  name: 'add the shutdown taint',
  begin: async ({ api, cloud }) => {
    cloud.says(name, 'stopped');
    api.put(knownNode(gone));
  },
  lastsMs: 100,
  awaits: ['look', 'patch Node'],
  check: (t, { api }) => t.ok(hasTaint(api.node(name), 'shutdown')),
};

const removeTaint: Path = {
  name: 'remove the shutdown taint, since the instance runs',
  begin: async ({ api }) => api.put(knownNode({ ...gone, taints: ['shutdown'] })),
  lastsMs: 100,
  awaits: ['look', 'patch Node'],
  check: (t, { api }) => t.notOk(hasTaint(api.node(name), 'shutdown')),
};

const removeTaintWithReport: Path = {
  ...removeTaint,
  name: 'remove the shutdown taint and the report that the instance was gone',
  begin: async ({ api }) => {
    const node = withReady(knownNode({ ...gone, taints: ['shutdown'] }), false);
    const condition = { type: 'polycloud.dev/Instance', status: 'False', reason: 'InstanceGone' } as const;
    const conditions = [...(node.status.conditions ?? []), condition];
    api.put({ ...node, status: { ...node.status, conditions } });
  },
  // Its own report makes the first patch a conflict.
  awaits: ['look', 'patch condition', 'create event', 'patch Node', 'read Node'],
};

const removeTaintWhenReady: Path = {
  ...removeTaint,
  name: 'remove the shutdown taint, since the Node is Ready',
  begin: async ({ api, cloud, advance }) => {
    cloud.says(name, 'stopped');
    api.put(knownNode({ ...gone, taints: ['shutdown'] }));
    await advance(1_000);
    cloud.says(name, 'running');
    api.change(name, (node) => withReady(node, true));
  },
  awaits: ['patch Node'],
};

const secondSightingAfterMs = 11_000;
const deleteNode: Path = {
  name: 'delete',
  begin: async ({ api, cloud, advance }) => {
    cloud.says(name, 'terminated');
    api.put(knownNode(gone));
    await advance(1_000);
  },
  lastsMs: secondSightingAfterMs,
  awaits: ['look', 'patch condition', 'create event', 'read Node', 'delete Node'],
  check: (t, { api }) => t.equal(api.node(name), undefined),
};

const firstSweepWithinMs = 300_000;
const repair: Path = {
  name: 'repair',
  begin: async ({ api, advance }) => {
    api.put(knownNode({ name }));
    await advance(1_000);
    api.change(name, (node) => withLabel(node, zone, 'wrong'));
  },
  lastsMs: firstSweepWithinMs,
  awaits: ['look', 'patch Node'],
  check: (t, { api }) => t.equal(api.node(name)?.metadata.labels?.[zone], 'here-a'),
};

const paths = [
  initialise,
  addTaint,
  removeTaint,
  removeTaintWithReport,
  removeTaintWhenReady,
  deleteNode,
  repair,
] as const;
const moments: readonly Moment[] = ['sent', 'answered'];

/** Plays the path with something that happens at one of its awaits, and then one monitor period. */
async function play({ begin, lastsMs }: Path, interrupt: (stage: Stage) => void): Promise<Stage> {
  const stage = startStage();
  stage.api.put(knownNode({ name: other }));
  await stage.advance(0);
  await begin(stage);
  interrupt(stage);
  await stage.advance(lastsMs);
  stage.api.releaseWatch();
  await stage.advance(monitorPeriodMs);
  return stage;
}

for (const path of paths) {
  await t.test(`${path.name}: without an interruption`, async (t) => path.check(t, await play(path, () => {})));

  for (const step of path.awaits) {
    await t.test(`${path.name}: a write by somebody else while "${step}" is under way`, async (t) => {
      const stage = await play(path, ({ api, steps }) => {
        steps.at(step, 'sent', () => {
          // The watch tells it late, as it may.
          api.holdWatch();
          api.change(name, (node) => withLabel(node, 'example.com/by', 'somebody'));
        });
      });
      t.strictSame(stage.steps.left(), []);
      path.check(t, stage);
      const node = stage.api.node(name);
      if (node !== undefined) t.equal(node.metadata.labels?.['example.com/by'], 'somebody', 'and is kept');
    });
  }
}

for (const path of [addTaint, removeTaint, removeTaintWithReport, deleteNode]) {
  for (const step of path.awaits) {
    for (const moment of moments.slice(0, step === 'delete Node' ? 1 : 2)) {
      await t.test(`${path.name}: the Node becomes Ready when "${step}" is ${moment}`, async (t) => {
        const stage = await play(path, ({ api, steps }) => {
          steps.at(step, moment, () => api.change(name, (node) => withReady(node, true)));
        });
        t.strictSame(stage.steps.left(), []);
        t.ok(stage.api.node(name), 'it is kept');
        t.notOk(hasTaint(stage.api.node(name), 'shutdown'), 'and has no shutdown taint');
      });
    }
  }
}

for (const path of [initialise, addTaint, removeTaint, removeTaintWithReport, deleteNode, repair]) {
  for (const step of path.awaits.slice(0, path === initialise ? -1 : undefined)) {
    await t.test(`${path.name}: the Node is taken out of our hands while "${step}" is under way`, async (t) => {
      let before = 0;
      const stage = await play(path, ({ api, steps }) => {
        steps.at(step, 'sent', () => {
          api.change(name, (node) => withLabel(withLabel(node, zone, 'wrong'), 'polycloud.dev/cloud', 'false'));
          before = api.requests.length;
        });
      });
      t.strictSame(stage.steps.left(), []);
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

for (const step of deleteNode.awaits) {
  await t.test(`delete: another Node takes the name while "${step}" is under way`, async (t) => {
    const stage = await play(deleteNode, ({ api, steps, cloud }) => {
      steps.at(step, 'sent', () => {
        cloud.says(name, 'running');
        api.delete(name);
        const node = knownNode(gone);
        api.put({ ...node, metadata: { ...node.metadata, uid: 'another' } });
      });
    });
    t.strictSame(stage.steps.left(), []);
    t.equal(stage.api.node(name)?.metadata.uid, 'another');
  });
}

await t.test('delete: Ready in between, for a moment, while the report is written', async (t) => {
  const stage = await play(deleteNode, ({ api, steps }) => {
    steps.at('create event', 'sent', async () => {
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
  const stage = await play(deleteNode, ({ api, steps }) => {
    steps.at('create event', 'sent', async () => {
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
  const [step = 'look'] = path.awaits.slice(-1);
  await t.test(`${path.name}: "${step}" fails once`, async (t) => {
    const stage = await play(path, ({ steps }) => steps.at(step, 'sent', () => fail('unavailable')));
    t.strictSame(stage.steps.left(), []);
    path.check(t, stage);
  });
}

await t.test('a Node that changes under every write is tried again later, and not without a pause', async (t) => {
  const stage = await play(removeTaintWhenReady, ({ api, steps }) => {
    for (let times = 0; times < 8; times += 1) {
      steps.at('patch Node', 'sent', () =>
        api.change(name, (node) => withLabel(node, 'example.com/count', `${times}`)),
      );
    }
  });
  const refused = stage.api.requests.filter((request) => request === 'patch Node node: conflict');
  t.equal(refused.length, 8);
  removeTaintWhenReady.check(t, stage);
});

await t.test('a shutdown taint that somebody adds to a Ready Node goes, also when the first patch fails', async (t) => {
  const stage = startStage();
  stage.api.put(knownNode({ name }));
  await stage.advance(60_000);
  const { taints = [] } = knownNode({ name, taints: ['shutdown'] }).spec;
  stage.api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
  stage.steps.at('patch Node', 'sent', () => fail('unavailable'));
  await stage.advance(0);
  t.ok(hasTaint(stage.api.node(name), 'shutdown'));
  await stage.advance(monitorPeriodMs);
  t.notOk(hasTaint(stage.api.node(name), 'shutdown'));
});

await t.test('after a conflict only the taints that are still missing are added', async (t) => {
  const stage = startStage({ lifecycle: { ...defaultSettings, outOfServiceTaint: true } });
  stage.cloud.says(name, 'stopped');
  stage.api.put(knownNode(gone));
  const { taints = [] } = knownNode({ name, taints: ['shutdown'] }).spec;
  stage.steps.at('patch Node', 'sent', () => {
    stage.api.change(name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
  });
  await stage.advance(monitorPeriodMs);
  t.strictSame(
    stage.api.node(name)?.spec.taints?.map(({ key }) => key),
    ['node.cloudprovider.kubernetes.io/shutdown', 'node.kubernetes.io/out-of-service'],
  );
});

await t.test('a Node that another cloud gets by its label is asked for there at once', async (t) => {
  const stage = await play(repair, ({ api, steps }) => {
    steps.at('look', 'sent', () => api.change(name, (node) => withLabel(node, 'polycloud.dev/cloud', 'other')));
  });
  t.equal(stage.otherCloud.looks.length, 0, 'its providerID is not one of that cloud');
  const bare = startStage();
  bare.api.put(knownNode({ name, providerId: undefined }));
  bare.steps.at('look', 'sent', () => bare.api.change(name, (node) => withLabel(node, 'polycloud.dev/cloud', 'other')));
  await bare.advance(monitorPeriodMs);
  t.match(bare.otherCloud.looks, [{ names: [name] }]);
});
