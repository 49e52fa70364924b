import t from 'tap';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { requires } from '../../../lab/requires.ts';
import { anonymousKb, startAgent, untilMetadataRead, untilState } from './agent-process.ts';
import {
  change,
  eventsOn,
  isInitialized,
  register,
  remove,
  untilNode,
  untilWarned,
  warningsOn,
  writesBy,
} from './nodes.ts';
import { watchNode } from './watch-node.ts';
import { ownInstance, ownProviderId, setInstance, startAgentEnvironment, environmentSupport } from './environment.ts';

const supported = await environmentSupport();
const flags = ['--node-status-update-frequency', '400ms'];
const program = 'polycloud-node-agent';
const providedNodeIp = 'alpha.kubernetes.io/provided-node-ip';
const zoneLabel = 'topology.kubernetes.io/zone';
const maxAnonymousKb = 50 * 1024;

await t.test('a Node is initialised by the machine that it is', requires(supported), async (t) => {
  const world = await startAgentEnvironment(t);
  t.beforeEach(() => setInstance(world, {}));
  const addressesOf = async (name: string, type: string): Promise<readonly string[]> => {
    const { status } = await untilNode(world, name, 'is initialised', isInitialized);
    return (status.addresses ?? []).flatMap((each) => (each.type === type ? [each.address] : []));
  };

  await t.test('addresses before the taint, by two writes', async (t) => {
    const seen = await watchNode(world, await register(world, { name: 'plain' }));
    const agent = startAgent(world, { nodeName: 'plain', flags });
    const node = await untilNode(world, 'plain', 'is initialised', isInitialized);
    const tookMs = Date.now() - agent.startedAtMs;
    // `npm run bench -- agent` measures it: here other tests run at the same time.
    t.comment(`${String(tookMs)} ms after its process started`);
    t.equal(node.spec.providerID, ownProviderId);
    t.match(node.metadata.labels, {
      'node.kubernetes.io/instance-type': 'm7g.large',
      'beta.kubernetes.io/instance-type': 'm7g.large',
      [zoneLabel]: 'us-west-2b',
      'failure-domain.beta.kubernetes.io/zone': 'us-west-2b',
      'topology.kubernetes.io/region': 'us-west-2',
      'failure-domain.beta.kubernetes.io/region': 'us-west-2',
      'topology.k8s.aws/zone-id': 'usw2-az2',
    });
    t.match(node.metadata.annotations, { 'polycloud.dev/described-by-agent': 'aws' });
    t.strictSame(node.status.addresses, [
      { type: 'InternalIP', address: '10.0.0.20' },
      { type: 'InternalIP', address: '10.0.1.20' },
      { type: 'ExternalIP', address: '192.0.2.20' },
      { type: 'InternalDNS', address: ownInstance.privateDnsName },
      { type: 'Hostname', address: ownInstance.privateDnsName },
      { type: 'ExternalDNS', address: ownInstance.publicDnsName },
    ]);
    await untilMetadataRead(world, 3);
    t.ok(seen.length >= 2, 'each state was seen');
    const schedulableWithoutAddress = seen.filter(
      (state) => isInitialized(state) && !(state.status.addresses ?? []).some(({ type }) => type === 'InternalIP'),
    );
    t.strictSame(schedulableWithoutAddress, []);
    t.equal((await writesBy(world, program, 'plain')).length, 2, 'and nothing more while nothing changes');
    t.match(await agent.status(), { node: 'plain', cloud: 'aws', state: 'in-sync', instance: { type: 'm7g.large' } });
    t.match(
      agent.output(),
      /"Starting" program="polycloud-node-agent" clouds=\[.*"aws".*\] identity="plain" dryRun=false/,
    );
    const line = `"Node initialised" node="plain" uid="${node.metadata.uid}" providerID="${ownProviderId}" cloud="aws"`;
    t.equal(agent.output().split(line).length - 1, 1, 'one line in the log');
    t.match(await eventsOn(world, 'plain'), [{ type: 'Normal', reason: 'Synced' }]);
    const memoryKb = await anonymousKb(agent.pid);
    t.ok(memoryKb <= maxAnonymousKb, `anonymous memory ${String(memoryKb)} kB`);
    const { code, durationMs } = await agent.stop();
    t.equal(code, 0);
    t.ok(durationMs < 5_000, `SIGTERM ended it in ${String(Math.round(durationMs))} ms`);
    t.notOk(showsSecret(agent.output()), 'no secret was said');
  });

  await t.test('a second start writes nothing', async (t) => {
    const agent = startAgent(world, { nodeName: 'plain', flags });
    await untilMetadataRead(world, 3);
    t.equal((await writesBy(world, program, 'plain')).length, 2);
    t.equal((await eventsOn(world, 'plain')).length, 1);
    await agent.stop();
  });

  await t.test('what was taken away comes back, and what changed is followed', async (t) => {
    const agent = startAgent(world, { nodeName: 'plain', flags });
    await untilMetadataRead(world, 1);
    const annotations = { 'polycloud.dev/described-by-agent': null };
    await change(world, 'plain', { metadata: { labels: { [zoneLabel]: null }, annotations } });
    await untilNode(world, 'plain', 'has its zone again', ({ metadata }) => metadata.labels?.[zoneLabel] !== undefined);
    await setInstance(world, { publicIp: '192.0.2.99', interfaces: ownInstance.interfaces.slice(0, 1) });
    await untilNode(world, 'plain', 'has its new addresses', ({ status }) => {
      const texts = (status.addresses ?? []).map(({ address }) => address);
      return texts.includes('192.0.2.99') && !texts.includes('10.0.1.20');
    });
    await untilMetadataRead(world, 3);
    t.equal((await writesBy(world, program, 'plain')).length, 4, 'by one write each');
    await agent.stop();
  });

  await t.test('a dry run writes nothing, and logs once what it would write', async (t) => {
    await register(world, { name: 'dry' });
    const dryFlags = [...flags, '--dry-run', '--logging-format', 'json'];
    const agent = startAgent(world, { nodeName: 'dry', flags: dryFlags });
    await untilMetadataRead(world, 3);
    const lines = parseLog(agent.output());
    t.match(lines[0], { level: 'info', msg: 'Starting', identity: 'dry', dryRun: true });
    const plans = lines.filter(({ msg }) => msg === 'Dry run: Node would be changed');
    t.equal(plans.length, 1);
    t.match(plans, [{ node: 'dry', changes: [/^set addresses InternalIP=/] }]);
    t.strictSame(await writesBy(world, program, 'dry'), []);
    t.strictSame(await eventsOn(world, 'dry'), []);
    t.match(await agent.status(), { dryRun: true, state: 'not-initialised', reason: /^would set addresses / });
    await agent.stop();
  });

  await t.test('a provided-node-ip that is not the first address of the first interface', async (t) => {
    await register(world, { name: 'provided', annotations: { [providedNodeIp]: '10.0.1.21' } });
    const agent = startAgent(world, { nodeName: 'provided', flags });
    t.strictSame(await addressesOf('provided', 'InternalIP'), ['10.0.1.21']);
    t.strictSame(await warningsOn(world, 'provided'), []);
    await agent.stop();
  });

  await t.test('a kubelet that names both families gets both without configuration', async (t) => {
    const nodeIps = ['10.0.0.20', '2001:db8::20'];
    await register(world, { name: 'names-both', annotations: { [providedNodeIp]: nodeIps.join(',') } });
    const agent = startAgent(world, { nodeName: 'names-both', flags });
    t.strictSame(await addressesOf('names-both', 'InternalIP'), nodeIps);
    await agent.stop();
  });

  await t.test('dual stack', async (t) => {
    const config = join(world.directory, 'dual-stack.yaml');
    await writeFile(config, 'aws: { nodeIpFamilies: [ipv4, ipv6] }\n');
    await register(world, { name: 'dual' });
    await register(world, { name: 'dual-provided', annotations: { [providedNodeIp]: '2001:0db8::20,10.0.0.20' } });
    for (const [name, expected] of [
      ['dual', ['10.0.0.20', '10.0.1.20', '2001:db8::20']],
      ['dual-provided', ['2001:db8::20', '10.0.0.20']],
    ] as const) {
      const agent = startAgent(world, { nodeName: name, flags: [...flags, '--config', config] });
      t.strictSame(await addressesOf(name, 'InternalIP'), expected);
      await agent.stop();
    }
  });

  await t.test('an unknown provided-node-ip is one event; after the correction the Node is initialised', async (t) => {
    await register(world, { name: 'mistaken', annotations: { [providedNodeIp]: '10.9.9.9' } });
    const agent = startAgent(world, { nodeName: 'mistaken', flags });
    t.match(await untilWarned(world, 'mistaken'), {
      reason: 'ProvidedNodeIPNotFound',
      message: /--node-ip 10\.9\.9\.9/,
    });
    await untilMetadataRead(world, 3);
    t.equal((await warningsOn(world, 'mistaken')).length, 1);
    await change(world, 'mistaken', { metadata: { annotations: { [providedNodeIp]: '10.0.0.21' } } });
    t.strictSame(await addressesOf('mistaken', 'InternalIP'), ['10.0.0.21']);
    await agent.stop();
  });

  await t.test('one that is deleted and registered again', async (t) => {
    const agent = startAgent(world, { nodeName: 'again', flags });
    await register(world, { name: 'again' });
    await untilNode(world, 'again', 'is initialised', isInitialized);
    await remove(world, 'again');
    const { metadata } = await register(world, { name: 'again' });
    const node = await untilNode(world, 'again', 'is initialised', isInitialized);
    t.equal(node.metadata.uid, metadata.uid);
    await agent.stop();
  });

  const strangers = {
    unmanaged: { labels: { 'polycloud.dev/cloud': 'false' } },
    'of-another-cloud': { labels: { 'polycloud.dev/cloud': 'static' } },
    foreign: { providerID: 'gce://project/us-west1-a/node' },
  };
  for (const [name, wishes] of Object.entries(strangers)) {
    await t.test(`a Node that is ${name} is left alone`, async (t) => {
      await register(world, { name, ...wishes });
      const agent = startAgent(world, { nodeName: name, flags: ['--cloud', 'aws', ...flags] });
      await t.resolves(untilState(agent, 'left-alone'));
      t.strictSame(await writesBy(world, program, name), []);
      await agent.stop();
    });
  }

  await t.test('a Node of another instance is not written, and an event reports it', async (t) => {
    await register(world, { name: 'mixed-up', providerID: 'aws:///us-west-2b/i-0000000000000dead' });
    const agent = startAgent(world, { nodeName: 'mixed-up', flags });
    t.match(await untilWarned(world, 'mixed-up'), { reason: 'ProviderIDMismatch', message: /i-0000000000000dead/ });
    await untilMetadataRead(world, 2);
    t.strictSame(await writesBy(world, program, 'mixed-up'), []);
    t.equal((await warningsOn(world, 'mixed-up')).length, 1);
    await agent.stop();
  });
});

function parseLog(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
