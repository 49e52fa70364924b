import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { installWork } from '../../../../node-agent/install/install.ts';
import type { RestartTools } from '../../../../node-agent/install/restart/restart-tools.ts';
import { keys } from '../../../../schemas/keys.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import { writeTree } from '../host-trees.ts';
import { checkEnd, createWorld, filesIn, flagFile } from './world.ts';
import type { World } from './world.ts';

await t.test('the kubelet is restarted once, and a second run changes nothing', async (t) => {
  const world = createWorld(t, { startsWithFlags: true });
  t.match(await world.run('install'), { result: { kind: 'written' }, service: 'kubelet.service' });
  t.equal(world.node.starts(), 1);
  checkEnd(t, world);
  t.match(readFileSync(world.node.host.locate(flagFile), 'utf8'), /--image-credential-provider-config=/);
  const again = await world.run('install');
  t.match(again, { result: { changed: [] } });
  t.notMatch(again, { service: String });
  t.equal(world.node.starts(), 1);

  t.match(await world.run('uninstall'), { service: 'kubelet.service' });
  t.equal(world.node.starts(), 2);
  checkEnd(t, world);
  t.notOk(existsSync(world.node.host.locate(flagFile)));
});

await t.test('a kubelet that does not start gets its old files back, and all others stop', async (t) => {
  const world = createWorld(t, { startsWithFlags: false });
  await t.rejects(world.run('install'), {
    message:
      'node node-1: the kubelet was not Ready with the new files in 60 s (kubelet.service is activating); the old ones are back',
    remedy: /kubectl -n kube-system annotate lease polycloud-install/,
  });
  t.notOk(existsSync(world.node.host.locate(flagFile)));
  t.notOk(existsSync(world.node.host.locate('/usr/lib/polycloud/credential-provider/polycloud-credential-provider')));
  checkEnd(t, world);
  t.match(world.api.lease?.metadata.annotations, { [keys.installFailure]: /the old ones are back/ });
  const { root } = world.node;
  const before = filesIn(root);
  await t.rejects(world.run('install'), { message: /no kubelet is restarted any more/ });
  t.strictSame(filesIn(root), before, 'nothing is written');
  world.api.change({ [keys.installFailure]: null });
  await t.rejects(world.run('install'), { message: /the old ones are back/ });
});

await t.test('what cannot be checked or undone is not restarted', async (t) => {
  const cases: ReadonlyArray<{
    readonly why: string;
    readonly change: (world: World) => Partial<RestartTools>;
    readonly message: RegExp;
  }> = [
    {
      why: 'the Node is not Ready',
      change: ({ node }) => ({ readNode: async () => notReady(await node.readNode()) }),
      message: /^the kubelet is not restarted: the Node is not Ready: no network$/,
    },
    {
      why: 'the Node is another machine',
      change: ({ node }) => {
        writeTree(node.root, { proc: { sys: { kernel: { random: { boot_id: 'other\n' } } } } });
        return {};
      },
      message: /^the kubelet is not restarted: Node node-1 is another machine$/,
    },
    {
      why: 'there is no such Node',
      change: () => ({ readNode: () => Promise.resolve('absent') }),
      message: /there is no Node of this name/,
    },
    {
      why: 'the service does not run',
      change: ({ node }) => ({
        systemd: { ...node.systemd, unitState: () => Promise.resolve({ active: 'failed' }) },
      }),
      message: /^the kubelet is not restarted: kubelet\.service is failed$/,
    },
    {
      why: 'somebody changed the flags after the kubelet had started',
      change: ({ node }) => {
        writeTree(node.root, { etc: { default: { kubelet: 'KUBELET_EXTRA_ARGS=--v=4\n' } } });
        return {};
      },
      message: /^\/etc\/default\/kubelet was changed by others after the kubelet started$/,
    },
    {
      why: 'the timer cannot be set',
      change: ({ node }) => {
        node.fail('enableUnit');
        return {};
      },
      message: /^enableUnit failed$/,
    },
  ];
  for (const { why, change, message } of cases) {
    await t.test(why, async (t) => {
      const world = createWorld(t, { startsWithFlags: true });
      const changed = change(world);
      const before = filesIn(world.node.root);
      await t.rejects(world.run('install', changed), { message });
      t.strictSame(filesIn(world.node.root), before, 'nothing is written');
      t.equal(world.node.starts(), 0);
      t.equal(world.api.lease?.spec.holderIdentity ?? '', '');
    });
  }
});

await t.test('a Node that is not Ready yet is waited for, without the turn', async (t) => {
  const world = createWorld(t, { startsWithFlags: true });
  const { node, clock, api } = world;
  const holders = new Set<string | undefined>();
  const readNode = async (): Promise<Node> => {
    if (clock.monotonicMs() >= 20_000) return node.readNode();
    holders.add(api.lease?.spec.holderIdentity);
    return notReady(await node.readNode());
  };
  t.match(await world.run('install', { readNode }), { service: 'kubelet.service' });
  t.strictSame([...holders], [undefined]);
  checkEnd(t, world);
});

await t.test('files that an earlier run wrote without a restart are not what the kubelet goes back to', async (t) => {
  const world = createWorld(t, { startsWithFlags: false });
  installWork(world.request).apply();
  t.ok(existsSync(world.node.host.locate(flagFile)));
  await t.rejects(world.run('install'), { message: /the old ones are back/ });
  t.notOk(existsSync(world.node.host.locate(flagFile)));
  checkEnd(t, world);
});

await t.test('a restart that systemd refuses is undone at once', async (t) => {
  const world = createWorld(t, { startsWithFlags: true });
  world.node.fail('queueRestart');
  await t.rejects(world.run('install'), { message: /the old ones are back/ });
  t.equal(world.clock.monotonicMs(), 0, 'it does not wait for the timer');
  t.notOk(existsSync(world.node.host.locate(flagFile)));
  checkEnd(t, world);
});

await t.test('a lost timer does not lose the old files', async (t) => {
  const world = createWorld(t, { startsWithFlags: false });
  const { systemd } = world.node;
  const lost = { ...systemd, restartUnit: () => Promise.resolve() };
  await t.rejects(world.run('install', { systemd: lost }), { message: /the old ones are back/ });
  checkEnd(t, world);
});

await t.test('while the API server is away, the Lease is kept', async (t) => {
  const world = createWorld(t, { startsWithFlags: true });
  const running = world.run('install', {
    readNode: async () => {
      // Away as soon as it was asked once.
      const node = await world.node.readNode();
      if (world.node.starts() > 0) world.api.failure ??= 'unavailable';
      return node;
    },
  });
  await world.clock.advance(30_000);
  t.equal(world.api.lease?.spec.holderIdentity, 'node-1');
  world.api.failure = undefined;
  // The condition is checked no more: the restart was confirmed.
  await running;
  t.equal(world.api.lease?.spec.holderIdentity, '');
});

function notReady(node: Node): Node {
  const conditions = [{ type: 'Ready', status: 'False', message: 'no network' }] as const;
  return { ...node, status: { ...node.status, conditions } };
}
