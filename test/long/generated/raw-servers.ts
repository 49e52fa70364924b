import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Those that a request may be meant for, and one that must never be asked. */
export const services = [
  'imds',
  'container',
  'ecr',
  'ecr-public',
  'sts',
  'azure-imds',
  'entra',
  'acr',
  'gce',
  'google-sts',
  'iam',
  'oauth2',
  'stranger',
] as const;
export type Service = (typeof services)[number];

export interface RawRequest {
  readonly service: Service;
  /** Counted from 1, for each service. */
  readonly count: number;
  readonly method: string;
  readonly path: string;
  /** By the name that the client knows it by. */
  readonly host: string;
  readonly headers: string;
  readonly body: string;
}

/** Bytes as they go over the wire, whether or not they are HTTP. */
export interface RawResponse {
  readonly parts: readonly Buffer[];
  /** What happens to the connection after the last part. `silence`: nothing that the client can see. */
  readonly end: 'keep' | 'close' | 'reset' | 'silence';
}

export type Script = (request: RawRequest) => RawResponse;

/** Servers that know of HTTP only where a request ends, so nothing corrects their responses. */
export interface RawServers {
  readonly urls: Readonly<Record<Service, string>>;
  /** From now on this is answered; who is still connected is cut off. */
  setScript(script: Script): void;
  /** Since the last `play`. */
  readonly requests: readonly RawRequest[];
  close(): Promise<void>;
}

export async function openRawServers(): Promise<RawServers> {
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  let script: Script = () => ({ parts: [], end: 'close' });
  const handle = (request: Omit<RawRequest, 'count'>): RawResponse => {
    const count = requests.filter(({ service }) => service === request.service).length + 1;
    const counted = { ...request, count };
    requests.push(counted);
    return script(counted);
  };
  const servers = await Promise.all(services.map((service) => listen(service, sockets, handle)));
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    urls: Object.fromEntries(servers.map(({ service, server }) => [service, urlOf(server)])) as Record<Service, string>,
    requests,
    setScript: (next) => {
      drop();
      requests.length = 0;
      script = next;
    },
    close: async () => {
      drop();
      await Promise.all(servers.map(({ server }) => closed(server)));
    },
  };
}

function closed(server: Server): Promise<unknown> {
  const ended = once(server, 'close');
  server.close();
  return ended;
}

function urlOf(server: Server): string {
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

type HandleRequest = (request: Omit<RawRequest, 'count'>) => RawResponse;

async function listen(service: Service, sockets: Set<Socket>, handle: HandleRequest): Promise<Listening> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The client may leave at any moment.
    socket.on('error', () => undefined);
    let waiting = Buffer.alloc(0);
    socket.on('data', (part) => {
      waiting = Buffer.concat([waiting, part]);
      if (waiting[0] === tlsHandshake) socket.destroy();
      for (let read = readRequest(waiting); read !== undefined; read = readRequest(waiting)) {
        waiting = waiting.subarray(read.lengthBytes);
        send(socket, handle({ service, ...read.request }));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { service, server };
}

/** The first byte of a TLS client. These servers do not answer it. */
const tlsHandshake = 0x16;

interface Listening {
  readonly service: Service;
  readonly server: Server;
}

interface Read {
  readonly request: Omit<RawRequest, 'count' | 'service'>;
  readonly lengthBytes: number;
}

function readRequest(bytes: Buffer): Read | undefined {
  const headBytes = bytes.indexOf('\r\n\r\n') + 4;
  if (headBytes < 4) return undefined;
  const headers = bytes.subarray(0, headBytes).toString('latin1');
  const bodyBytes = Number(/^content-length: *(\d+)/im.exec(headers)?.[1] ?? 0);
  if (bytes.length < headBytes + bodyBytes) return undefined;
  const [method = '', path = ''] = headers.split(' ', 2);
  const host = (headerIn(headers, intendedHost) ?? headerIn(headers, 'host') ?? '').replace(/:443$/, '');
  const body = bytes.subarray(headBytes, headBytes + bodyBytes).toString('utf8');
  return { request: { method, path, host, headers, body }, lengthBytes: headBytes + bodyBytes };
}

/** Of a request that was led here from the host that it was meant for. */
export const intendedHost = 'x-lab-meant-host';

function headerIn(headers: string, name: string): string | undefined {
  return new RegExp(`^${name}: *([^\\r\\n]*)`, 'im').exec(headers)?.[1];
}

function send(socket: Socket, { parts, end }: RawResponse): void {
  for (const part of parts) socket.write(part);
  if (end === 'close') socket.end();
  if (end === 'reset') socket.resetAndDestroy();
}
