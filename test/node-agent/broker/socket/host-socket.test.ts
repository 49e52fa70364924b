import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { BrokerRequestHandler } from '../../../../node-agent/broker/socket/handle-connection.ts';
import { maintainSocket } from '../../../../node-agent/broker/socket/maintain-socket.ts';
import type { BrokerPlace, MaintainedSocket } from '../../../../node-agent/broker/socket/maintain-socket.ts';
import { logInto } from '../../../support/logs.ts';
import { exchange } from '../harness.ts';

interface Brokers {
  readonly socketPath: string;
  readonly logLines: string[];
  start(kind: BrokerPlace['kind']): Promise<MaintainedSocket>;
  /** The kind of broker that answers a front end. */
  ask(): Promise<string>;
}

async function brokersFor(t: Tap): Promise<Brokers> {
  // Not below the project: the path of a socket must be short.
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-'));
  const socketPath = join(directory, 'run/broker.sock');
  const logLines: string[] = [];
  const started: MaintainedSocket[] = [];
  t.teardown(async () => {
    for (const socket of started) await socket.close();
    await rm(directory, { recursive: true });
  });
  return {
    socketPath,
    logLines,
    start: async (kind) => {
      const log = logInto((line) => void logLines.push(line));
      const handleRequest: BrokerRequestHandler = async () => ({ outcome: 'answer', text: kind });
      const socket = maintainSocket({ socketPath, place: { kind }, log, handleRequest });
      started.push(socket);
      await socket.check();
      return socket;
    },
    ask: async () => {
      const response = await exchange(socketPath, 'polycloud/2 x\n{}').catch(() => '');
      return /answer\n(?<kind>.*)\nend/.exec(response)?.[1] ?? 'nobody';
    },
  };
}

type Tap = Pick<typeof t, 'teardown'>;

await t.test('the broker of the host is at the path of front ends', async (t) => {
  const { ask, start, socketPath } = await brokersFor(t);
  const host = await start('host');
  t.equal(await ask(), 'host');
  t.equal((await lstat(socketPath)).mode & 0o7777, 0o600);
  await host.close();
  t.strictSame(await readdir(join(socketPath, '..')), [], 'it leaves nothing');
});

await t.test('an agent that starts later leaves the path to it, and is ready', async (t) => {
  const { ask, start, logLines, socketPath } = await brokersFor(t);
  await start('host');
  const agent = await start('agent');
  t.equal(await ask(), 'host');
  t.equal(agent.problem(), undefined);
  t.ok(agent.isLeftToHost());
  await agent.check();
  t.strictSame(logLines, [`Broker: ${socketPath} is served by the host`], 'it is logged once');
  await agent.close();
  t.equal(await ask(), 'host', 'the end of the agent does not matter');
});

await t.test('it takes the path over from an agent, at once', async (t) => {
  const { ask, start } = await brokersFor(t);
  const agent = await start('agent');
  t.equal(await ask(), 'agent');
  await start('host');
  t.equal(await ask(), 'host');
  t.notOk(agent.isLeftToHost(), 'the agent has not looked yet');
  await agent.check();
  t.ok(agent.isLeftToHost());
  t.equal(await ask(), 'host');
});

await t.test('the agent takes the path again when the host has none', async (t) => {
  const { ask, start, logLines, socketPath } = await brokersFor(t);
  const host = await start('host');
  const agent = await start('agent');
  await host.close();
  t.equal(await ask(), 'nobody');
  await agent.check();
  t.equal(await ask(), 'agent');
  t.notOk(agent.isLeftToHost());
  t.match(logLines, [/is served by the host$/, `Broker: ${socketPath} is no longer served by the host`]);
  await start('host');
  await agent.check();
  t.equal(await ask(), 'host', 'and back');
});

await t.test('an agent that put its socket there at the same moment loses it again', async (t) => {
  const { ask, start, socketPath } = await brokersFor(t);
  const agent = await start('agent');
  const host = await start('host');
  await rm(socketPath);
  await agent.close();
  t.equal(await ask(), 'nobody');
  await host.check();
  t.equal(await ask(), 'host');
});
