import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { tlsOptions } from './exchange.ts';

/** Connections of an agent that were opened ahead of the requests that will need them. */
export interface WarmConnections {
  /** Does nothing where one waits already. Never throws. */
  open(url: URL, authorities: readonly string[] | undefined): void;
}

interface Waiting {
  readonly options: ConnectionOptions;
  readonly socket: Socket;
  stopWaiting(): void;
}

/** Whoever was expected has not come. */
const longestWaitMs = 10_000;

/**
 * The agent hands a waiting connection to the first request for the same place that would have to open one, whether it has
 * its handshake behind it yet or not. One that fails or is closed before that was never there.
 */
export function keepWarm(agent: Agent): WarmConnections {
  const waiting = new Set<Waiting>();
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => take(options as ConnectionOptions) ?? connect(options, callback);

  function open(url: URL, authorities: readonly string[] | undefined): void {
    const options = connectionOptions(url, authorities);
    if (find(options) !== undefined) return;
    const socket = tryTo(() => connect({ ...options, ...optionsOf(agent) }) as Socket);
    if (socket === undefined) return;
    const entry: Waiting = { options, socket, stopWaiting: watch(socket, () => waiting.delete(entry)) };
    waiting.add(entry);
  }

  function take(options: ConnectionOptions): Socket | undefined {
    const found = find(options);
    if (found === undefined) return undefined;
    waiting.delete(found);
    found.stopWaiting();
    return found.socket;
  }

  function find(options: ConnectionOptions): Waiting | undefined {
    return [...waiting].find((each) => !each.socket.destroyed && isSamePlace(each.options, options));
  }

  return { open };
}

/** Certificates that are none, say; the request that comes will fail by itself. */
function tryTo(open: () => Socket): Socket | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** What an agent adds to every connection of its own; Node's types do not know them. */
function optionsOf(agent: Agent): object {
  return Reflect.get(agent, 'options') as object;
}

/** As the agent would make them of a request. */
function connectionOptions(url: URL, authorities: readonly string[] | undefined): ConnectionOptions {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  if (!secure) return { host, port };
  // Certificates can name addresses, but TLS cannot ask for one by it.
  const servername = process.getBuiltinModule('node:net').isIP(host) === 0 ? host : '';
  return { host, port, servername, ...tlsOptions(authorities) };
}

/** Nothing may come before something was asked: bytes or an end spoil it as an error does. Nobody is kept alive for it. */
function watch(socket: Socket, forget: () => void): () => void {
  const spoil = (): void => {
    forget();
    socket.destroy();
  };
  const timer = setTimeout(spoil, longestWaitMs);
  timer.unref();
  socket.unref();
  socket.on('error', spoil).on('close', spoil).on('readable', spoil);
  return () => {
    clearTimeout(timer);
    socket.off('error', spoil).off('close', spoil).off('readable', spoil);
    socket.ref();
  };
}

function isSamePlace(one: ConnectionOptions, other: ConnectionOptions): boolean {
  const names = one.host === other.host && (one.servername ?? '') === (other.servername ?? '');
  return names && Number(one.port) === Number(other.port) && trustOf(one) === trustOf(other);
}

function trustOf({ ca }: ConnectionOptions): string {
  return [ca ?? []].flat().join('\n');
}
