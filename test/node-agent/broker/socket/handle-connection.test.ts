import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { listen } from '../../../../node-agent/broker/socket/listen.ts';
import type { BrokerResponse } from '../../../../node-agent/broker/socket/wire-format.ts';
import { waitFor } from '../../../lib/kubernetes/scripted-server.ts';

const directory = await mkdtemp(join(tmpdir(), 'polycloud-'));
const socketPath = join(directory, 'broker.sock');
let pendingResponse = Promise.withResolvers<BrokerResponse>();
const receivedRequests: string[] = [];
const listener = await listen(socketPath, async (text) => {
  receivedRequests.push(text);
  return pendingResponse.promise;
});
t.teardown(async () => {
  await listener.close();
  await rm(directory, { recursive: true });
});

interface Client {
  readonly socket: Socket;
  received(): string;
  readonly closed: Promise<unknown>;
}

function connect(): Client {
  let text = '';
  const socket = createConnection(socketPath);
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.on('error', () => {}).on('close', () => resolve(undefined));
  return { socket, received: () => text, closed };
}

t.beforeEach(() => {
  pendingResponse = Promise.withResolvers();
  receivedRequests.length = 0;
});

await t.test('a front end gets an acknowledgement before the response is known', async (t) => {
  const client = connect();
  client.socket.end('polycloud/2 x\n{}');
  await waitFor(() => client.received() !== '' && receivedRequests.length === 1);
  t.equal(client.received(), 'polycloud/2\n');
  pendingResponse.resolve({ outcome: 'answer', text: '{}' });
  await client.closed;
  t.equal(client.received(), 'polycloud/2\nanswer\n{}\nend\n');
});

await t.test('it gets the acknowledgement once, even before the request is complete', async (t) => {
  const client = connect();
  client.socket.write('polycl');
  client.socket.write('oud/2 x\n');
  await waitFor(() => client.received() !== '');
  client.socket.write('{');
  client.socket.end('}');
  await waitFor(() => receivedRequests.length === 1);
  pendingResponse.resolve({ outcome: 'failure', text: 'why' });
  await client.closed;
  t.strictSame(receivedRequests, ['polycloud/2 x\n{}']);
  t.equal(client.received(), 'polycloud/2\nfailure\nwhy\nend\n');
});

/** First bytes → what is received before the response is known, and in total. */
async function repliesTo(first: string): Promise<readonly string[]> {
  const client = connect();
  client.socket.end(first);
  await waitFor(() => receivedRequests.length === 1);
  const early = client.received();
  pendingResponse.resolve({ outcome: 'answer', text: '{}' });
  await client.closed;
  return [early, client.received()];
}

for (const first of ['polycloud/1 x\n{}', 'polycloud/20 x\n{}', 'polycloud/', '']) {
  await t.test(`a request that starts with ${JSON.stringify(first)} gets nothing before the response`, async (t) => {
    t.strictSame(await repliesTo(first), ['', 'polycloud/1 answer\n{}\nend\n']);
  });
}

await t.test('all requests together use a bounded amount of memory', async (t) => {
  const request = `polycloud/2 x\n${' '.repeat(120_000)}`;
  const clients = Array.from({ length: 200 }, connect);
  for (const { socket } of clients) socket.end(request);
  await waitFor(() => clients.every(({ socket, received }) => socket.closed || received() !== ''));
  await waitFor(
    () => receivedRequests.length + clients.filter(({ received }) => received().includes('decline')).length === 200,
  );
  const declined = clients.filter(({ received }) => received().includes('decline\ntoo many requests at once\nend\n'));
  t.ok(declined.length >= 60 && declined.length <= 80, `${declined.length} of 200 are declined`);
  pendingResponse.resolve({ outcome: 'answer', text: '{}' });
  await Promise.all(clients.map(({ closed }) => closed));
  t.equal(clients.filter(({ received }) => received().endsWith('answer\n{}\nend\n')).length, 200 - declined.length);
  pendingResponse = Promise.withResolvers();
  const next = connect();
  next.socket.end(request);
  pendingResponse.resolve({ outcome: 'answer', text: '{}' });
  await next.closed;
  t.match(next.received(), 'answer', 'finished requests do not count');
});
