import t from 'tap';
import type { LookupResult, NodeFacts } from '../../../clouds/cloud.ts';
import { createInstances } from '../../../clouds/vsphere/instances/index.ts';
import type { VmDescription } from '../../../clouds/vsphere/vm.ts';
import { swapByteOrder } from '../../../clouds/vsphere/provider-id.ts';
import { realHost } from '../../../lib/host.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { requires } from '../../lab/requires.ts';
import { findVcsim } from '../../lab/vcsim/find-vcsim.ts';
import { startTwoVcenters } from './two-vcenters.ts';

// Look-ups by themselves, with govmomi's simulator of two vCenters.

const found = await findVcsim();
t.setTimeout(240_000);

await t.test('look-ups in vCenters of govmomi', requires(found), async (t) => {
  const { a, b, config, context } = await startTwoVcenters(t, found.programs.vcsim, { a: 3, b: 3 });
  const scopes = { a: { cloud: 'vsphere', key: 'vsphere/a' }, b: { cloud: 'vsphere', key: 'vsphere/b' } };
  const instancesWith = (changes: Partial<VsphereConfig> = {}): ReturnType<typeof createInstances> =>
    createInstances({ env: {}, host: realHost, config: { ...config, ...changes } });
  const instances = instancesWith();
  const [first, second, third, fourth, fifth] = await a.operations.vms();
  const [ofB] = await b.operations.vms();
  if (!first || !second || !third || !fourth || !fifth || !ofB) throw new Error('the simulator has too few machines');
  for (const [number, { ref }] of [first, second, third, fourth, fifth].entries()) {
    await a.operations.setGuest(ref, { hostName: `node-${number}`, ipAddress: `10.7.0.${number + 1}` });
  }
  await b.operations.setGuest(ofB.ref, { hostName: 'node-of-b', ipAddress: '10.8.0.1' });
  const lookUp = async (node: NodeFacts, scope: 'a' | 'b' = 'a'): Promise<LookupResult | undefined> =>
    (await instances.lookUp(scopes[scope], { nodes: [node], verify: [] }, context())).get(node.uid);
  const until = (node: NodeFacts, status: LookupResult['status']): Promise<LookupResult> =>
    waitUntil({ what: `${node.name} is ${status}`, withinMs: 20_000, everyMs: 50 }, async () => {
      const result = await lookUp(node);
      return result?.status === status ? result : undefined;
    });

  await t.test('a machine with its addresses and type, by its UUID in either order, or its host name', async (t) => {
    const expected = {
      status: 'running',
      instance: {
        type: 'vsphere-vm.cpu-1.mem-0gb.os-other',
        addresses: [
          { type: 'Hostname', address: 'node-0' },
          { type: 'InternalIP', address: '10.7.0.1' },
          { type: 'ExternalIP', address: '10.7.0.1' },
        ],
        labels: { 'polycloud.dev/vsphere-vcenter': 'a' },
      },
    };
    t.match(await until(nodeOf(first), 'running'), expected);
    for (const systemUuid of [first.uuid, swapByteOrder(first.uuid)]) {
      const node = nodeNamed('any', { systemUuid });
      t.match(await lookUp(node), { ...expected, instance: { providerId: `vsphere://${first.uuid}` } });
    }
    t.match(await lookUp(nodeNamed('node-0')), expected);
    t.match(await lookUp(nodeOf(ofB)), {
      status: 'running',
      instance: { labels: { 'polycloud.dev/vsphere-vcenter': 'b' } },
    });
  });

  await t.test('powered off, deleted, and another object with the BIOS UUID', async (t) => {
    await a.operations.powerOff(second.ref);
    t.match(await until(nodeOf(second), 'stopped'), { instance: { providerId: `vsphere://${second.uuid}` } });
    await a.operations.destroy(third.ref);
    const labels = { 'polycloud.dev/vsphere-vcenter': 'a', 'polycloud.dev/vsphere-vm': third.ref.id };
    t.match(await until(nodeOf(third, { labels }), 'not-found'), {
      evidence: /FindAllByUuid .* is ManagedObjectNotFound/,
    });
    await a.operations.setUuid(fourth.ref, third.uuid);
    t.match(await until(nodeOf(third), 'running'), { instance: { addresses: [{ address: 'node-3' }, {}, {}] } });
    await a.operations.setUuid(fifth.ref, third.uuid);
    t.match(await until(nodeOf(third), 'ambiguous'), { candidates: [/^a\/vm-/, /^a\/vm-/] });
  });

  await t.test('a session that an administrator ended', async (t) => {
    await a.operations.endSessions();
    t.match(await lookUp(nodeOf(first)), { status: 'running' });
  });

  await t.test('one vCenter is away: its machines are unknown, and nothing is gone', async (t) => {
    await b.stop();
    t.match(await lookUp(nodeOf(first)), { status: 'running' });
    t.match(await lookUp(nodeOf(ofB)), { status: 'unknown' });
    await t.rejects(lookUp(nodeOf(ofB, { labels: { 'polycloud.dev/vsphere-vcenter': 'b' } }), 'b'), {
      name: 'Failure',
    });
    t.equal(await instances.verifyAccess(scopes.b, context()), false);
    await b.startAgain();
    t.equal(await instances.verifyAccess(scopes.b, context()), true);
  });

  await t.test('a wrong password, and a certificate that is not the pinned one', async (t) => {
    const [vcenterA] = config.vcenters;
    if (vcenterA === undefined) throw new Error('there are two');
    const lookUpWith = (changes: object, count?: { requests: number }): Promise<unknown> =>
      instancesWith({ vcenters: [{ ...vcenterA, ...changes }] }).lookUp(
        scopes.a,
        { nodes: [nodeOf(first)], verify: [] },
        context(count),
      );
    await t.rejects(lookUpWith({ passwordFile: vcenterA.usernameFile }), {
      message: /does not accept the user name and password/,
    });
    const otherThumbprint = '00'.repeat(32);
    const pinned = { message: /its certificate is not the one that the configuration names/ };
    await t.rejects(lookUpWith({ thumbprint: otherThumbprint }), pinned);
    await t.rejects(lookUpWith({ thumbprint: undefined }), { message: /an authority that this node does not trust/ });
  });
});

await t.test('1,000 machines take at most 10 calls', requires(found), async (t) => {
  const { a, config, context } = await startTwoVcenters(t, found.programs.vcsim, { a: 500, b: 0 });
  const vms = await a.operations.vms();
  t.equal(vms.length, 1_000);
  // One after the other: a thousand handshakes at once take the simulator too long.
  for (const [at, { ref }] of vms.entries()) {
    await a.operations.setGuest(ref, { hostName: `node-${at}`, ipAddress: `10.7.${at >> 8}.${at & 255}` });
  }
  const [vcenter] = config.vcenters;
  const instances = createInstances({
    env: {},
    host: realHost,
    config: { ...config, vcenters: vcenter === undefined ? [] : [vcenter] },
  });
  const nodes = vms.map((vm) => nodeOf(vm));
  const scope = { cloud: 'vsphere', key: 'vsphere/a' };
  const count = { requests: 0 };
  const results = await instances.lookUp(scope, { nodes, verify: [] }, context(count));
  t.equal([...results.values()].filter(({ status }) => status === 'running').length, 1_000);
  t.comment(`${count.requests} calls`);
  t.ok(count.requests <= 10, `${count.requests} calls`);
});

function nodeOf({ uuid, name }: Pick<VmDescription, 'uuid' | 'name'>, changes: Partial<NodeFacts> = {}): NodeFacts {
  return nodeNamed(name, { providerId: `vsphere://${uuid}`, ...changes });
}

function nodeNamed(name: string, changes: Partial<NodeFacts> = {}): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {}, ...changes };
}
