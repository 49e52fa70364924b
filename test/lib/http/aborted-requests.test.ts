import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import type { Test } from 'tap';
import { createAuthority } from '../../lab/authority.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import { issuePair } from './certificates.ts';
import { neverAborted, plainHttp, plainRequest, startHttp, startHttps, startRaw } from './loopback.ts';
import type { LoopbackServer } from './loopback.ts';
import { startTunnelProxy } from './tunnel-proxy.ts';
import { assertNoSocketsLeft, detectUnhandled } from './leaks.ts';

const lab = await createAuthority(t.testdir({}));
const authority = readFileSync(lab.certificateFile, 'utf8');
const pair = await issuePair(lab, 'server', ['127.0.0.1', 'registry.example']);

const wait = { what: 'the end of the connections', withinMs: 5_000, everyMs: 2 };

interface OpenedCase {
  readonly address: string;
  readonly proxy?: string;
  readonly servers: readonly LoopbackServer[];
  /** Settles when the request is where it is to be given up. */
  readonly reached: Promise<unknown>;
}

interface AbortCase {
  readonly what: string;
  open(t: Test): Promise<OpenedCase>;
}

const abortCases: readonly AbortCase[] = [
  {
    what: 'the name is looked up',
    open: async (t) => atOnce('http://localhost', await startRaw(t, (socket) => void socket.resume())),
  },
  {
    what: 'the connection is opened',
    open: async (t) => atOnce('http://127.0.0.1', await startRaw(t, (socket) => void socket.resume())),
  },
  {
    what: 'TLS shakes hands',
    open: async (t) => {
      const { server, reached } = await silent(t);
      return { address: `https://127.0.0.1:${server.port}`, servers: [server], reached };
    },
  },
  {
    what: 'the proxy is silent',
    open: async (t) => {
      const { server, reached } = await silent(t);
      return {
        address: 'https://registry.example',
        proxy: `http://127.0.0.1:${server.port}`,
        servers: [server],
        reached,
      };
    },
  },
  {
    what: 'the proxy shakes hands',
    open: async (t) => {
      const { server, reached } = await silent(t);
      return {
        address: 'https://registry.example',
        proxy: `https://127.0.0.1:${server.port}`,
        servers: [server],
        reached,
      };
    },
  },
  {
    what: 'TLS shakes hands in a tunnel',
    open: async (t) => {
      const { server, reached } = await silent(t);
      const proxy = await startTunnelProxy(t, server.port, undefined);
      return { address: 'https://registry.example', proxy: proxy.address, servers: [server, proxy], reached };
    },
  },
  {
    what: 'TLS shakes hands in a tunnel of TLS',
    open: async (t) => {
      const { server, reached } = await silent(t);
      const proxy = await startTunnelProxy(t, server.port, pair);
      return { address: 'https://registry.example', proxy: proxy.address, servers: [server, proxy], reached };
    },
  },
  {
    what: 'an answer in a tunnel of TLS is waited for',
    open: async (t) => {
      const { promise: reached, resolve } = Promise.withResolvers<unknown>();
      const server = await startHttps(t, pair, resolve);
      const proxy = await startTunnelProxy(t, server.port, pair);
      return { address: 'https://registry.example', proxy: proxy.address, servers: [server, proxy], reached };
    },
  },
];

for (const { what, open } of abortCases) {
  for (const by of ['its caller', 'its own limit'] as const) {
    await t.test(`a request that ${by} gives up while ${what} leaves nothing behind`, async (t) => {
      const noStrays = detectUnhandled(t);
      const { address, proxy, servers, reached } = await open(t);
      const controller = new AbortController();
      const limits = by === 'its caller' ? { connectMs: 9_000, totalMs: 9_000 } : { connectMs: 60, totalMs: 60 };
      const proxies = proxy === undefined ? { no: '' } : { https: proxy, no: '' };
      const http = plainHttp({ authorities: [authority], proxies });
      const sending = http.send(plainRequest(address, { route: 'proxied', limits }), controller.signal);
      const expected = by === 'its caller' ? { message: 'enough' } : { name: 'NetworkError', reason: /timeout$/ };
      const rejected = t.rejects(sending, expected);
      if (by === 'its caller') {
        await reached;
        controller.abort(new Error('enough'));
      }
      await rejected;
      for (const server of servers) await closed(server);
      await noStrays();
    });
  }
}

await t.test('what is warmed and never asked for leaves nothing behind when it fails', async (t) => {
  const noStrays = detectUnhandled(t);
  const http = plainHttp({ authorities: [] });
  const server = await startHttps(t, pair, answer);
  for (const address of [
    `https://127.0.0.1:${server.port}`,
    'https://nowhere.invalid',
    'http://127.0.0.1:1',
    'https://[::1]:1',
  ]) {
    http.preconnect?.({ url: new URL(address) });
  }
  await waitUntil(wait, async () => (server.connections() === 1 ? true : undefined));
  await closed(server);
  await assertNoSocketsLeft();
  await noStrays();
});

await t.test('many requests with one signal are all given up by it', async (t) => {
  const noStrays = detectUnhandled(t);
  const server = await startRaw(t, (socket) => void socket.resume());
  const controller = new AbortController();
  const http = plainHttp({});
  const all = Array.from({ length: 50 }, () =>
    http.send(plainRequest(`http://127.0.0.1:${server.port}`, {}), controller.signal),
  );
  const settled = Promise.allSettled(all);
  await waitUntil(wait, async () => (server.connections() === 50 ? true : undefined));
  controller.abort(new Error('enough'));
  for (const each of await settled) t.match(each, { status: 'rejected', reason: { message: 'enough' } });
  await closed(server);
  await noStrays();
});

type Step = () => Promise<unknown>;

const steps: readonly (readonly [what: string, step: Step])[] = [
  ['jobs', () => Promise.resolve()],
  ['ticks', promisify(process.nextTick)],
  ['turns', promisify(setImmediate)],
];

for (const [what, step] of steps) {
  await t.test(`given up after any number of ${what}, a request leaves the next one its own answer`, async (t) => {
    const noStrays = detectUnhandled(t);
    const server = await startHttp(t, ({ url }, response) => void response.end(url));
    const http = plainHttp({});
    const ask = async (path: string, signal: AbortSignal): Promise<string> => {
      const { body } = await http.send(plainRequest(`http://127.0.0.1:${server.port}${path}`, {}), signal);
      return Buffer.from(body).toString();
    };
    for (let count = 0; count < 25; count += 1) {
      const controller = new AbortController();
      const asked = ask(`/given-up-${count}`, controller.signal).catch(String);
      for (let done = 0; done < count; done += 1) await step();
      controller.abort(new Error('enough'));
      t.match(await asked, new RegExp(`^(?:Error: enough|/given-up-${count})$`));
      t.equal(await ask(`/next-${count}`, neverAborted), `/next-${count}`);
    }
    await noStrays();
  });
}

await t.test('a signal that outlives its requests holds on to none of them', async (t) => {
  const server = await startHttp(t, answer);
  const { signal } = new AbortController();
  const http = plainHttp({});
  for (let count = 0; count < 5; count += 1) {
    t.equal((await http.send(plainRequest(`http://127.0.0.1:${server.port}`, {}), signal)).status, 200);
  }
  await server.close();
  await t.rejects(http.send(plainRequest(`http://127.0.0.1:${server.port}`, {}), signal), { name: 'NetworkError' });
  t.equal(getEventListeners(signal, 'abort').length, 0);
});

const keptConnections: readonly (readonly [
  what: string,
  open: (t: Test) => Promise<readonly [address: string, proxy: string]>,
])[] = [
  ['http', async (t) => [`http://127.0.0.1:${(await startHttp(t, answer)).port}`, '']],
  ['https', async (t) => [`https://127.0.0.1:${(await startHttps(t, pair, answer)).port}`, '']],
  ['a tunnel', async (t) => ['https://registry.example', await tunnelTo(t, undefined)]],
  ['a tunnel of TLS', async (t) => ['https://registry.example', await tunnelTo(t, pair)]],
];

for (const [what, open] of keptConnections) {
  await t.test(`an idle connection over ${what} does not keep the process alive`, async (t) => {
    const [address, proxy] = await open(t);
    const script = `
      import { createHttp } from '${new URL('../../../lib/http/create-http.ts', import.meta.url).href}';
      const proxies = { no: '', ...(${JSON.stringify(proxy)} !== '' && { https: ${JSON.stringify(proxy)} }) };
      const http = createHttp({ proxies, authorities: [${JSON.stringify(authority)}], allAuthorities: () => [] });
      const limits = { connectMs: 9_000, totalMs: 9_000 };
      const request = { method: 'GET', url: new URL('${address}'), headers: {}, route: 'proxied', limits };
      for (let count = 0; count < 3; count += 1) {
        const { status } = await http.send(request, new AbortController().signal);
        process.stdout.write(String(status));
      }
      const answeredMs = performance.now();
      process.on('exit', () => process.stdout.write(performance.now() - answeredMs < 3_000 ? ' at once' : ' late'));
    `;
    const options = { env: {}, input: script, timeoutMs: 20_000 };
    const { code, stdout, stderr } = await runCommand(process.execPath, ['--input-type=module', '-'], options);
    t.equal(code, 0, stderr);
    t.equal(stdout, '200200200 at once');
  });
}

await t.test('a variable of Node.js does not disable verification', async (t) => {
  const server = await startHttps(t, pair, (_request, response) => response.end('ok'));
  const script = `
    import { createHttp } from '${new URL('../../../lib/http/create-http.ts', import.meta.url).href}';
    const http = createHttp({ proxies: { no: '' }, allAuthorities: () => [] });
    const limits = { connectMs: 9_000, totalMs: 9_000 };
    const request = { method: 'GET', url: new URL('https://127.0.0.1:${server.port}'), headers: {}, route: 'direct', limits };
    const { reason } = await http.send(request, new AbortController().signal).catch((error) => error);
    process.stdout.write(String(reason));
  `;
  const options = { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, input: script, timeoutMs: 20_000 };
  const { stdout } = await runCommand(process.execPath, ['--input-type=module', '-'], options);
  t.equal(stdout, 'untrusted');
});

await t.test('nothing is left of all this', async () => assertNoSocketsLeft());

function answer(_request: unknown, response: { end(text: string): void }): void {
  response.end('ok');
}

async function tunnelTo(t: Test, ofProxy: typeof pair | undefined): Promise<string> {
  const server = await startHttps(t, pair, answer);
  return (await startTunnelProxy(t, server.port, ofProxy)).address;
}

function atOnce(host: string, server: LoopbackServer): OpenedCase {
  return { address: `${host}:${server.port}`, servers: [server], reached: Promise.resolve() };
}

/** Reads everything, and sends nothing. */
async function silent(t: Test): Promise<{ readonly server: LoopbackServer; readonly reached: Promise<unknown> }> {
  const { promise: reached, resolve } = Promise.withResolvers<unknown>();
  return { server: await startRaw(t, (socket) => void socket.once('data', resolve)), reached };
}

async function closed(server: LoopbackServer): Promise<void> {
  await waitUntil(wait, async () => (server.open() === 0 ? true : undefined));
}
