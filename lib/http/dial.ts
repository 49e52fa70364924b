import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { classifyNetworkError } from './classify-error.ts';
import { createConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { NetworkError } from './network-error.ts';
import { openTunnel } from './tunnel.ts';

/** Whom to connect to, and how. */
export interface Place {
  readonly url: URL;
  readonly proxy: URL | undefined;
  /** PEM certificates to trust instead of what OpenSSL finds. */
  readonly authorities: readonly string[] | undefined;
}

/** A connection that is being opened, or is open already. */
export interface Dialling {
  /** Rejects with a `NetworkError`. */
  readonly connection: Promise<Connection>;
  /** Does it keep the process alive meanwhile? It does until something else is said. */
  hold(isNeeded: boolean): void;
  /** Nobody wants it any more. */
  abandon(): void;
}

export function dial(place: Place): Dialling {
  let socket: Socket | undefined;
  let needed = true;
  let abandoned = false;
  const apply = (): void => {
    if (needed) socket?.ref();
    else socket?.unref();
    if (abandoned) socket?.destroy();
  };
  const watch = (next: Socket): Socket => {
    socket = next;
    // One that fails while it passes from hand to hand must not end the process; its next owner finds it closed.
    socket.on('error', () => {});
    apply();
    return next;
  };
  const connection = connect(place, watch).then(createConnection, (error: unknown) => {
    socket?.destroy();
    throw classifyNetworkError(error);
  });
  return {
    connection,
    hold: (isNeeded) => {
      needed = isNeeded;
      apply();
    },
    abandon: () => {
      abandoned = true;
      apply();
    },
  };
}

type Watch = (socket: Socket) => Socket;

async function connect({ url, proxy, authorities }: Place, watch: Watch): Promise<Socket> {
  const first = proxy ?? url;
  const isSecure = url.protocol === 'https:';
  const tcp = await connectTcp(first, watch, isSecure);
  const next = first.protocol === 'https:' ? await startTls(tcp, first, authorities, watch) : tcp;
  if (proxy === undefined || !isSecure) return next;
  await openTunnel(next, url, proxy);
  return startTls(next, url, authorities, watch);
}

async function connectTcp(url: URL, watch: Watch, willSecure: boolean): Promise<Socket> {
  const socket = process.getBuiltinModule('node:net').connect({ host: hostOf(url), port: portOf(url), noDelay: true });
  // Loading it takes as long as a round trip, so that is done while one is under way.
  if (willSecure) socket.once('connectionAttempt', () => process.nextTick(loadTls));
  await established(watch(socket), 'connect');
  return socket;
}

function loadTls(): void {
  process.getBuiltinModule('node:tls');
}

async function startTls(
  socket: Socket,
  url: URL,
  authorities: readonly string[] | undefined,
  watch: Watch,
): Promise<Socket> {
  const host = hostOf(url);
  const secured = process.getBuiltinModule('node:tls').connect({
    socket,
    host,
    // Certificates can name addresses, but TLS cannot ask for one by it.
    servername: process.getBuiltinModule('node:net').isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    ...trust(authorities),
  });
  await established(watch(secured), 'secureConnect');
  return secured;
}

function trust(authorities: readonly string[] | undefined): ConnectionOptions {
  // Said, since what Node does by itself hangs on a variable.
  const always = { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const;
  return { ...(authorities !== undefined && { ca: [...authorities] }), ...always };
}

function established(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new NetworkError('reset', ''));
    socket.once('error', reject).once('close', closed);
    socket.once(event, () => {
      socket.off('error', reject).off('close', closed);
      resolve();
    });
  });
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
