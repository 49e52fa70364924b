import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { logInto } from '../support/logs.ts';
import { askStatus, serveStatus } from '../../node-agent/status-socket.ts';

const directory = await mkdtemp(join(tmpdir(), 'agent-status-'));
t.teardown(() => rm(directory, { recursive: true }));
const path = join(directory, 'run', 'agent.sock');
const status = (node: string) => () => ({ node, dryRun: false, state: 'in-sync' as const });
const logLines: string[] = [];
const log = logInto((line) => void logLines.push(line));

await t.test('status asks the running agent, through a directory that only its user can enter', async (t) => {
  const stop = await serveStatus(path, status('a'), log);
  t.teardown(stop);
  t.same(await askStatus(path), { node: 'a', dryRun: false, state: 'in-sync' });
  t.equal((await stat(join(directory, 'run'))).mode & 0o777, 0o700);
});

await t.test('an agent that stops leaves the socket of the next one', async (t) => {
  const stopFirst = await serveStatus(path, status('first'), log);
  const stopNext = await serveStatus(path, status('next'), log);
  await stopFirst();
  t.match(await askStatus(path), { node: 'next' });
  await stopNext();
  await t.rejects(askStatus(path), { name: 'Failure', kind: 'unavailable', remedy: /--status-socket/ });
  t.strictSame(logLines, []);
});

await t.test('the agent runs without a socket where it cannot create one', async (t) => {
  await writeFile(join(directory, 'file'), '');
  const stop = await serveStatus(join(directory, 'file', 'agent.sock'), status('a'), log);
  t.match(logLines, [/^No status socket at .* err="E(?:NOTDIR|EXIST)"/]);
  await stop();
});

await t.test('a response from another program is refused', async (t) => {
  const other = join(directory, 'other.sock');
  const server = createServer((socket) => void socket.end('hello'));
  server.listen(other);
  await once(server, 'listening');
  t.teardown(() => server.close());
  await t.rejects(askStatus(other), { name: 'Failure', kind: 'invalid-response' });
});
