import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';
import { createConnection } from '../../../lib/http/connection.ts';
import type { Connection } from '../../../lib/http/connection.ts';
import { startRaw } from './loopback.ts';
import { noSocketsLeft, watchStrays } from './watched.ts';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

interface Told {
  readonly bytes: string;
  /** Why it was over, each time that was said; `in order`: no reason. */
  readonly over: readonly string[];
}

await t.test('an end in order is told as that', async (t) => {
  const { client, server } = await openPair(t);
  const told = use(createConnection(client));
  server.end('some');
  await closed(client);
  t.match(told(), { bytes: 'some', over: ['in order'] });
});

await t.test('a connection that closes without an end was reset, whatever came before', async (t) => {
  const { client, server } = await openPair(t);
  const told = use(createConnection(client));
  server.write('some');
  await once(client, 'data');
  client.destroy();
  await closed(client);
  t.match(told(), { bytes: 'some', over: ['reset'] });
});

await t.test('a reset is told as that', async (t) => {
  const { client, server } = await openPair(t);
  const told = use(createConnection(client));
  server.resetAndDestroy();
  await closed(client);
  t.match(told(), { bytes: '', over: ['reset'] });
});

await t.test('one that was closed before anybody listened is over at once', async (t) => {
  const noStrays = watchStrays(t);
  const { client } = await openPair(t);
  client.destroy();
  await closed(client);
  const connection = createConnection(client);
  t.equal(connection.isUsable(), false);
  t.match(use(connection)(), { bytes: '', over: ['reset'] });
  connection.send(Buffer.from('too late'));
  await noStrays();
});

const spoilers: readonly (readonly [what: string, spoil: (server: Socket) => unknown])[] = [
  ['bytes', (server) => server.write('x')],
  ['an end', (server) => server.end()],
  ['a reset', (server) => server.resetAndDestroy()],
];

for (const [what, spoil] of spoilers) {
  await t.test(`one that rests is closed by ${what}`, async (t) => {
    const noStrays = watchStrays(t);
    const { client, server } = await openPair(t);
    const connection = createConnection(client);
    const told = use(connection);
    connection.rest(60_000);
    t.equal(connection.isUsable(), true);
    spoil(server);
    await closed(client);
    t.equal(connection.isUsable(), false);
    t.strictSame(told(), { bytes: '', over: [] }, 'whoever used it before hears nothing of it');
    await noStrays();
  });
}

await t.test('what is still to be sent keeps it from being used', async (t) => {
  const { client, server } = await openPair(t);
  const connection = createConnection(client);
  server.pause();
  connection.send(Buffer.alloc(30_000_000));
  t.equal(connection.isUsable(), false);
  const sent = once(client, 'drain');
  server.resume();
  await sent;
  t.equal(connection.isUsable(), true);
  connection.destroy();
  t.equal(connection.isUsable(), false);
});

await t.test('nothing is left of all this', async () => noSocketsLeft());

async function openPair(t: Test): Promise<Pair> {
  const { promise: accepted, resolve } = Promise.withResolvers<Socket>();
  const { port } = await startRaw(t, (socket) => resolve(socket.resume()));
  const client = connect(port, '127.0.0.1');
  t.teardown(() => client.destroy());
  const [server] = await Promise.all([accepted, once(client, 'connect')]);
  return { client, server };
}

/** Whatever it was closed by. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

function use(connection: Connection): () => Told {
  let bytes = '';
  const over: string[] = [];
  connection.use({
    bytes: (part) => {
      bytes += part.toString('latin1');
    },
    over: (reason) => void over.push(reason?.reason ?? 'in order'),
  });
  return () => ({ bytes, over });
}
