import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';
import { createAuthority } from '../../lab/authority.ts';
import { issuePair } from './certificates.ts';
import { neverAborted, plainHttp, plainRequest, startHttp, startHttps } from './loopback.ts';
import { startRelay, startTunnelProxy } from './tunnel-proxy.ts';
import type { ForwardPart } from './tunnel-proxy.ts';
import { assertNoSocketsLeft, detectUnhandled } from './leaks.ts';

/** A faulty proxy in front of a correct server: a request ends with an error or with the response, and nothing else. */
const lab = await createAuthority(t.testdir({}));
const authority = readFileSync(lab.certificateFile, 'utf8');
const pair = await issuePair(lab, 'server', ['127.0.0.1', 'registry.example']);
const body = 'the whole answer';

/** A TLS record that decrypts to nothing, a plain alert, and what is no TLS at all. */
const badRecord = Buffer.from('170303001368656c6c6f2068656c6c6f2068656c6c6f212121', 'hex');
const alert = Buffer.from('15030300020228', 'hex');
const noTls = Buffer.from('SSH-2.0-x\r\n');

const outcomes = /^(?:answer|reset|cut-off|tls|proxy|not-http|timeout|connect-timeout)$/;

type Corruption = readonly [what: string, make: (part: Buffer, client: Socket) => void];

const corruptions: readonly Corruption[] = [
  ['a bad record behind it', (part, client) => client.write(Buffer.concat([part, badRecord]))],
  ['an alert behind it', (part, client) => client.write(Buffer.concat([part, alert]))],
  ['another protocol behind it', (part, client) => client.write(Buffer.concat([part, noTls]))],
  ['a bad record right after it', (part, client) => void client.write(part, () => client.write(badRecord))],
  ['a bad record in its place', (_part, client) => client.write(badRecord)],
  ['another protocol in its place', (_part, client) => client.write(noTls)],
  ['its last byte changed', (part, client) => client.write(changed(part, part.length - 1))],
  ['one of its bytes changed', (part, client) => client.write(changed(part, Math.floor(part.length / 2)))],
  ['it twice', (part, client) => client.write(Buffer.concat([part, part]))],
  ['the end behind it', (part, client) => client.end(part)],
  ['the end in its place', (_part, client) => client.end()],
  ['half of it and the end', (part, client) => client.end(part.subarray(0, Math.floor(part.length / 2)))],
  ['half of it and a reset', (part, client) => cut(client, part.subarray(0, Math.floor(part.length / 2)))],
  ['a reset behind it', (part, client) => cut(client, part)],
  ['a reset in its place', (_part, client) => client.resetAndDestroy()],
];

interface ConnectionPath {
  readonly what: string;
  readonly secure: boolean;
  /** Opens the connection. Bytes of the server or the proxy go through `pass`. */
  open(t: Test, forward: ForwardPart): Promise<{ readonly address: string; readonly proxy?: string }>;
}

const connectionPaths: readonly ConnectionPath[] = [
  {
    what: 'over TLS',
    secure: true,
    open: async (t, forward) => ({
      address: `https://127.0.0.1:${(await startRelay(t, await secureServer(t), forward)).port}`,
    }),
  },
  {
    what: 'in a tunnel',
    secure: true,
    open: async (t, forward) => {
      const proxy = await startTunnelProxy(t, await secureServer(t), undefined);
      const relay = await startRelay(t, proxy.port, forward);
      return { address: 'https://registry.example', proxy: `http://127.0.0.1:${relay.port}` };
    },
  },
  {
    what: 'in a tunnel, beyond the proxy',
    secure: true,
    open: async (t, forward) => {
      const relay = await startRelay(t, await secureServer(t), forward);
      const proxy = await startTunnelProxy(t, relay.port, pair);
      return { address: 'https://registry.example', proxy: proxy.address };
    },
  },
  {
    what: 'in a tunnel of TLS',
    secure: true,
    open: async (t, forward) => {
      const proxy = await startTunnelProxy(t, await secureServer(t), pair);
      const relay = await startRelay(t, proxy.port, forward);
      return { address: 'https://registry.example', proxy: `https://127.0.0.1:${relay.port}` };
    },
  },
  {
    what: 'without TLS',
    secure: false,
    open: async (t, forward) => {
      const server = await startHttp(t, (_request, response) => response.end(body));
      return { address: `http://127.0.0.1:${(await startRelay(t, server.port, forward)).port}` };
    },
  },
];

for (const way of connectionPaths) {
  const some = way.secure ? corruptions : corruptions.filter(([what]) => !/changed|record/.test(what));
  for (const [what, make] of some) {
    await t.test(`${way.what}: ${what}`, async (t) => {
      const noStrays = detectUnhandled(t);
      let which = 1;
      while (await corruptPart(t, way, make, which)) which += 1;
      t.ok(which > 1);
      await noStrays();
    });
  }
}

await t.test('nothing is left of all this', async () => assertNoSocketsLeft());

/** Was there such a part at all? */
async function corruptPart(t: Test, { open }: ConnectionPath, make: Corruption[1], which: number): Promise<boolean> {
  let wasCorrupted = false;
  const { address, proxy } = await open(t, (part, count, client) => {
    wasCorrupted ||= count === which;
    if (count === which) make(part, client);
    else client.write(part);
  });
  t.match(await ask(address, proxy), outcomes, `part ${which}`);
  return wasCorrupted;
}

/** In any case the whole answer, if it is one. */
async function ask(address: string, proxy: string | undefined): Promise<string> {
  const proxies = proxy === undefined ? { no: '' } : { https: proxy, no: '' };
  const http = plainHttp({ authorities: [authority], proxies });
  const limits = { connectMs: 300, totalMs: 400 };
  try {
    const response = await http.send(plainRequest(address, { route: 'proxied', limits }), neverAborted);
    const isWhole = Buffer.from(response.body).toString('utf8') === body;
    return isWhole ? 'answer' : `not the answer: ${Buffer.from(response.body).toString('latin1')}`;
  } catch (error) {
    return error instanceof Error && 'reason' in error ? String(error.reason) : `not ours: ${String(error)}`;
  }
}

async function secureServer(t: Test): Promise<number> {
  return (await startHttps(t, pair, (_request, response) => response.end(body))).port;
}

function changed(part: Buffer, at: number): Buffer {
  return Buffer.from(part.map((byte, index) => (index === at ? byte ^ 1 : byte)));
}

function cut(client: Socket, part: Buffer): void {
  client.write(part, () => client.resetAndDestroy());
}
