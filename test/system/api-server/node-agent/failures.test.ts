import t from 'tap';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { controlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { requires } from '../../../lab/requires.ts';
import { startAgent, untilMetadataRead, untilLogged } from './agent-process.ts';
import { change, isInitialized, readNode, register, untilNode, untilWarned, warningsOn, writesBy } from './nodes.ts';
import {
  isFull,
  ownInstance,
  ownProviderId,
  setInstance,
  startMachineEnvironment,
  startAgentEnvironment,
  environmentSupport,
} from './environment.ts';

const supported = await environmentSupport();
const flags = ['--node-status-update-frequency', '400ms'];
const program = 'polycloud-node-agent';
/** How long something is away. */
const outageMs = isFull ? 60_000 : 3_000;
const zoneLabel = 'topology.kubernetes.io/zone';
t.setTimeout(isFull ? 900_000 : 240_000);

const faults: Readonly<Record<string, Fault>> = {
  'nobody listens': { service: 'imds', kind: 'refuse' },
  'it fails': { service: 'imds', kind: 'status', status: 500 },
  'it answers in no format': { service: 'imds', kind: 'garbage' },
  'its interfaces are in no format': { service: 'imds', kind: 'garbage', pathPrefix: '/latest/meta-data/network' },
  'it throttles': { service: 'imds', kind: 'throttle' },
};

await t.test('whatever the metadata service does, the agent waits for it', requires(supported), async (t) => {
  const world = await startAgentEnvironment(t);
  t.beforeEach(async () => {
    await world.aws.clearFaults();
    await setInstance(world, {});
  });

  for (const [index, [what, fault]] of Object.entries(faults).entries()) {
    await t.test(`${what}, at the start and later`, async (t) => {
      const name = `node-${String(index)}`;
      await world.aws.addFault(fault);
      await register(world, { name });
      const agent = startAgent(world, { nodeName: name, flags });
      t.match(await untilWarned(world, name), { reason: 'NodeInitFailed', message: /; hint: / });
      await wait(index === 0 ? outageMs : 500);
      t.notOk(isInitialized(await readNode(world, name)));
      t.equal((await warningsOn(world, name)).length, 1, 'one event');
      t.strictSame(await writesBy(world, program, name), [], 'and no write');

      await world.aws.clearFaults();
      const node = await untilNode(world, name, 'is initialised', isInitialized);
      t.match(node, { spec: { providerID: ownProviderId }, status: { addresses: [{ address: '10.0.0.20' }] } });
      await untilMetadataRead(world, 1);

      await world.aws.addFault(fault);
      await untilLogged(agent, /"Node cannot be synced" .*reason="NodeUpdateFailed"/);
      await wait(index === 0 ? outageMs : 500);
      await setInstance(world, { publicIp: '192.0.2.77' });
      t.equal((await writesBy(world, program, name)).length, 2, 'what cannot be read changes nothing');
      const warnings = await warningsOn(world, name);
      t.strictSame(
        warnings.map(({ reason }) => reason).toSorted(),
        ['NodeInitFailed', 'NodeUpdateFailed'],
        'one event for each time',
      );
      await world.aws.clearFaults();
      await untilNode(world, name, 'has the new address', ({ status }) =>
        (status.addresses ?? []).some(({ address }) => address === '192.0.2.77'),
      );
      t.match(await agent.status(), { state: 'in-sync' });
      t.equal((await agent.stop()).code, 0, 'it is still the same process');
      t.notOk(showsSecret(`${agent.output()} ${JSON.stringify(warnings)}`), 'no secret was said');
    });
  }

  await t.test('it is slow', async (t) => {
    await world.aws.addFault({ service: 'imds', kind: 'delay', delayMs: 800 });
    await register(world, { name: 'slow' });
    const agent = startAgent(world, { nodeName: 'slow', flags });
    await untilNode(world, 'slow', 'is initialised', isInitialized);
    t.strictSame(await warningsOn(world, 'slow'), []);
    await agent.stop();
  });

  await t.test('it never answers: SIGTERM ends the agent all the same', async (t) => {
    await world.aws.addFault({ service: 'imds', kind: 'hang' });
    await register(world, { name: 'hanging' });
    const agent = startAgent(world, { nodeName: 'hanging', flags: ['-v', '1', '--cloud', 'aws', ...flags] });
    await untilLogged(agent, /; again in \d+ ms/);
    const { code, durationMs } = await agent.stop();
    t.equal(code, 0);
    t.ok(durationMs < 5_000, `in ${String(Math.round(durationMs))} ms`);
  });
});

await t.test('whatever the API server does, the agent waits for it', requires(supported), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const world = await startMachineEnvironment(t, plane);
  await setInstance(world, {});
  await register(world, { name: 'node' });
  await plane.stopApiServer();
  const agent = startAgent(world, { nodeName: 'node', flags });
  await untilLogged(agent, /"Nodes cannot be watched" err=/);
  await wait(outageMs);
  t.match(await agent.status(), { state: 'no-node' });
  await plane.startApiServer();
  await untilNode(world, 'node', 'is initialised', isInitialized);

  for (const end of ['stopApiServer', 'killApiServer'] as const) {
    await t.test(`${end} and a change that happens meanwhile`, async (t) => {
      const before = (await writesBy(world, program, 'node')).length;
      await change(world, 'node', { metadata: { labels: { 'example.com/mark': end } } });
      await plane[end]();
      await setInstance(world, { publicIp: end === 'stopApiServer' ? '192.0.2.31' : '192.0.2.32' });
      await untilLogged(agent, /"Node cannot be synced" .*reason="NodeUpdateFailed"/);
      await wait(outageMs);
      await plane.startApiServer();
      const node = await untilNode(world, 'node', 'has the new address', ({ status }) =>
        (status.addresses ?? []).some(({ address }) => address.startsWith('192.0.2.3')),
      );
      t.equal(node.metadata.labels?.[zoneLabel], ownInstance.zone);
      await untilMetadataRead(world, 2);
      t.equal((await writesBy(world, program, 'node')).length, before + 1, 'one write makes it right');
    });
  }
  t.strictSame(await warningsOn(world, 'node'), []);

  await t.test('it is away: SIGTERM ends the agent all the same', async (t) => {
    await plane.killApiServer();
    const { code, durationMs } = await agent.stop();
    t.equal(code, 0);
    t.ok(durationMs < 5_000, `in ${String(Math.round(durationMs))} ms`);
  });
});
