import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import t from 'tap';
import { requires } from '../../../lab/requires.ts';
import { withEnvironment } from '../../../lab/network/run-command.ts';
import { createFrontEndFixture, startFakeBroker, frontSupport, parseFullProgramStart, defaultCall } from './fixture.ts';

const answer = '{}';
const longestMs = 20_000;
const longestSilenceMs = 3_000;

await t.test('a broker that keeps the front end waiting', requires(await frontSupport()), async (t) => {
  const [hanging, slow, trickling, full] = await Promise.all(Array.from({ length: 4 }, () => createFrontEndFixture()));
  if (hanging === undefined || slow === undefined || trickling === undefined || full === undefined) return;
  const stages = [hanging, slow, trickling, full];
  t.teardown(() => Promise.all(stages.map((stage) => stage.stop())));

  await t.test('slowly, but in time: its response is used', async (t) => {
    const broker = await startFakeBroker(slow.socketPath, (socket) => {
      socket.write('polycloud/2\nans');
      setTimeout(() => socket.write(`wer\n${answer}\n`), 200);
      setTimeout(() => socket.end('end\n'), 400);
    });
    t.teardown(broker.close);
    t.match(await slow.ask(), { stdout: `${answer}\n`, code: 0 });
  });

  await t.test('too long: the full program answers, and nothing of the broker is printed', async (t) => {
    const silent = await startFakeBroker(hanging.socketPath, (socket) => socket.write('polycloud/2\n'));
    const drop = await startFakeBroker(trickling.socketPath, (socket) => {
      const timer = setInterval(() => socket.write('polycloud/2\nanswer\n{'), 100);
      socket.on('close', () => clearInterval(timer));
    });
    t.teardown(() => [silent, drop].map((broker) => broker.close()));
    const results = await Promise.all([hanging.ask(), trickling.ask()]);
    for (const result of results) {
      t.match(parseFullProgramStart(result), { bytes: defaultCall.input.length });
      t.ok(result.durationMs >= longestMs && result.durationMs < longestMs + 5_000, `${result.durationMs} ms`);
    }
  });

  await t.test('without an acknowledgement: the full program starts within 3 s', async (t) => {
    const broker = await startFakeBroker(full.socketPath, () => {});
    t.teardown(broker.close);
    const result = await full.ask();
    t.match(parseFullProgramStart(result), { bytes: defaultCall.input.length });
    t.ok(result.durationMs >= 2_000 && result.durationMs < longestSilenceMs, `${result.durationMs} ms`);
  });

  await t.test('because its process is stopped: the full program starts within 3 s', async (t) => {
    const child = await startListener(full.socketPath, 1_024);
    t.teardown(() => child.kill('SIGKILL'));
    child.kill('SIGSTOP');
    // The second one is larger than the buffer of a socket.
    for (const input of [defaultCall.input, 'x'.repeat(900_000)]) {
      const result = await full.ask({ input });
      t.match(parseFullProgramStart(result), { bytes: input.length });
      t.ok(result.durationMs < longestSilenceMs, `${result.durationMs} ms`);
    }
  });

  await t.test('while connecting: 100 ms', async (t) => {
    const child = await startListener(full.socketPath, 1);
    t.teardown(() => child.kill('SIGKILL'));
    // It accepts no more connections, so the listen queue fills up.
    child.kill('SIGSTOP');
    const waiting = Array.from({ length: 4 }, () => createConnection(full.socketPath).on('error', () => {}));
    t.teardown(() => waiting.map((socket) => socket.destroy()));
    const result = await full.ask();
    t.match(parseFullProgramStart(result), { bytes: defaultCall.input.length });
    t.ok(result.durationMs >= 100 && result.durationMs < 2_000, `${result.durationMs} ms`);
  });
});

/** A process that accepts connections and does nothing with them. */
async function startListener(socketPath: string, backlog: number): Promise<ChildProcess> {
  const listening = `{ path: process.argv[1], backlog: ${backlog} }`;
  const script = `require('net').createServer().listen(${listening}, () => console.log('up'))`;
  await rm(socketPath, { force: true });
  const [command, args] = withEnvironment({}, process.execPath, ['--eval', script, socketPath]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}
