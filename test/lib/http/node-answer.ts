import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Duplex } from 'node:stream';

/** What a client made of an answer: bodies and headers as Latin-1. */
export interface Taken {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly keepsConnection: boolean;
}

/** Why it made nothing of it. */
export interface Refused {
  readonly refused: string;
}

/** What Node's own client makes of these bytes, after which the connection ends. */
export async function askNode(parts: readonly Buffer[]): Promise<Taken | Refused> {
  const { promise, resolve, reject } = Promise.withResolvers<Taken>();
  const outgoing = request({
    createConnection: () => connectionThatBrings(parts),
    headers: { connection: 'keep-alive' },
    host: 'server.example',
  });
  outgoing.on('error', reject);
  outgoing.on('upgrade', () => reject(new Error('another protocol')));
  outgoing.on('response', (incoming) => {
    readBody(incoming).then((body) => {
      resolve({ ...headOf(incoming), body, keepsConnection: outgoing.shouldKeepAlive });
    }, reject);
  });
  outgoing.end();
  try {
    return await promise;
  } catch (error) {
    return { refused: error instanceof Error ? error.message : 'nothing is known' };
  } finally {
    outgoing.destroy();
  }
}

/** Nothing comes before the request was written. */
function connectionThatBrings(parts: readonly Buffer[]): Duplex {
  let wasAsked = false;
  return new Duplex({
    read: () => {},
    write(this: Duplex, _part, _encoding, done) {
      done();
      if (wasAsked) return;
      wasAsked = true;
      for (const part of parts) this.push(part);
      this.push(null);
    },
  });
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const body = await buffer(incoming);
  if (!incoming.complete) throw new Error('the body is not whole');
  return body.toString('latin1');
}

function headOf(incoming: IncomingMessage): Pick<Taken, 'status' | 'headers'> {
  const entries = Object.entries(incoming.headersDistinct);
  const headers = Object.fromEntries(entries.map(([name, values]) => [name, (values ?? []).join(', ')]));
  return { status: incoming.statusCode ?? 0, headers };
}
