import type { Socket } from 'node:net';
import { systemClock } from '../clock.ts';
import { classifyNetworkError } from './classify-error.ts';
import { connectRace } from './connect-race.ts';
import type { ConnectionAttempt } from './connect-race.ts';
import { NetworkError } from './network-error.ts';
import type { ProxyInUse } from './network-error.ts';
import type { IpAddress, Resolve } from './resolve.ts';
import { checkPin, startTls } from './start-tls.ts';
import type { TlsSettings } from './start-tls.ts';
import { openTunnel } from './tunnel.ts';

/** Where to connect, through which proxy, and which authorities to trust. */
export interface HttpTarget extends TlsSettings {
  readonly url: URL;
  /** The interface towards a link-local address, which is reached without a proxy. */
  readonly zone?: string;
  readonly proxy: URL | undefined;
}

/** A connection that is being opened: DNS, TCP, the tunnel of the proxy, TLS. */
export interface PendingConnection {
  /** Rejects with a `NetworkError`. */
  readonly socket: Promise<Socket>;
  /** Resolves when DNS has answered, with or without success. */
  readonly resolved: Promise<unknown>;
  /** The proxy, while only the proxy can cause a failure. */
  proxyInUse(): ProxyInUse | undefined;
  /** Sets whether it keeps the process alive. By default it does. */
  keepProcessAlive(isNeeded: boolean): void;
  /** Has no effect once the socket is open. */
  abort(): void;
}

export function openSocket(target: HttpTarget, resolve: Resolve): PendingConnection {
  const { url, proxy } = target;
  const abortController = new AbortController();
  const sockets = new Set<Socket>();
  const resolved = Promise.withResolvers<undefined>();
  let keepsProcessAlive = true;
  let isAtProxy = proxy !== undefined;
  const hooks: ConnectHooks = {
    resolve: (host) => resolve(host).finally(() => resolved.resolve(undefined)),
    trackSocket: (socket) => {
      sockets.add(socket);
      // An error while the socket has no owner must not end the process; the next owner finds the socket closed.
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
      if (!keepsProcessAlive) socket.unref();
      return socket;
    },
    onTunnelOpened: () => void (isAtProxy = false),
    signal: abortController.signal,
  };
  const proxyInUse = (): ProxyInUse | undefined =>
    isAtProxy && proxy !== undefined ? nameProxy(proxy, url) : undefined;
  const socket = connect(target, hooks).catch((error: unknown) => {
    for (const each of sockets) each.destroy();
    throw classifyNetworkError(error).withProxy(proxyInUse());
  });
  let isOpen = false;
  socket.then(
    () => (isOpen = true),
    () => {},
  );
  return {
    socket,
    resolved: resolved.promise,
    proxyInUse,
    keepProcessAlive: (isNeeded) => {
      keepsProcessAlive = isNeeded;
      for (const each of sockets) {
        if (keepsProcessAlive) each.ref();
        else each.unref();
      }
    },
    abort: () => {
      if (isOpen) return;
      abortController.abort(new NetworkError('reset', ''));
      for (const each of sockets) each.destroy();
    },
  };
}

/** The proxy that receives and answers a request: with TLS it only opens a tunnel. */
export function proxyOfExchange({ url, proxy }: HttpTarget): ProxyInUse | undefined {
  return proxy === undefined || url.protocol === 'https:' ? undefined : nameProxy(proxy, url);
}

/** Without user name and password. */
function nameProxy({ protocol, host }: URL, url: URL): ProxyInUse {
  return { address: `${protocol}//${host}`, variable: url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY' };
}

interface ConnectHooks {
  readonly resolve: Resolve;
  trackSocket<T extends Socket>(socket: T): T;
  onTunnelOpened(): void;
  readonly signal: AbortSignal;
}

async function connect(target: HttpTarget, hooks: ConnectHooks): Promise<Socket> {
  const { url, zone, proxy, authorities } = target;
  const firstHop = proxy ?? url;
  const isSecure = url.protocol === 'https:';
  const tcp = await connectTcp({ url: firstHop, zone }, isSecure || firstHop.protocol === 'https:', hooks);
  if (proxy === undefined) return isSecure ? secure(tcp, url, target, hooks) : tcp;
  const proxySocket = proxy.protocol === 'https:' ? await secure(tcp, proxy, { authorities }, hooks) : tcp;
  if (!isSecure) return proxySocket;
  await openTunnel(proxySocket, url, proxy);
  hooks.onTunnelOpened();
  return secure(proxySocket, url, target, hooks);
}

async function connectTcp(
  { url, zone }: { readonly url: URL; readonly zone: string | undefined },
  willSecure: boolean,
  { resolve, trackSocket, signal }: ConnectHooks,
): Promise<Socket> {
  const addresses = resolve(hostOf(url));
  // Loading it takes as long as a round trip, so it is loaded during DNS and TCP.
  if (willSecure) setImmediate(() => process.getBuiltinModule('node:tls'));
  const inZone = zone === undefined ? '' : `%${zone}`;
  const open = ({ address, family }: IpAddress): TcpAttempt =>
    openTcp({ address: `${address}${inZone}`, family }, portOf(url), trackSocket);
  return (await connectRace(await addresses, open, { clock: systemClock, signal })).socket;
}

interface TcpAttempt extends ConnectionAttempt {
  readonly socket: Socket;
}

function openTcp({ address, family }: IpAddress, port: number, trackSocket: ConnectHooks['trackSocket']): TcpAttempt {
  const { connect: connectTo } = process.getBuiltinModule('node:net');
  const socket = trackSocket(connectTo({ host: address, family, port, noDelay: true }));
  return { socket, connected: established(socket, 'connect'), destroy: () => void socket.destroy() };
}

async function secure(socket: Socket, url: URL, settings: TlsSettings, { trackSocket }: ConnectHooks): Promise<Socket> {
  const secured = trackSocket(startTls(socket, hostOf(url), settings));
  await established(secured, 'secureConnect');
  if (settings.certificatePin !== undefined) await checkPin(secured, settings.certificatePin);
  return secured;
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
