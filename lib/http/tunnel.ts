import type { Socket } from 'node:net';
import { parseHead, splitHead } from './answer-head.ts';
import { classifyNetworkError } from './classify-error.ts';
import { NetworkError } from './network-error.ts';
import { headText } from './request-bytes.ts';

/** Asks a proxy to lead this connection on to the place, and settles when it does. */
export async function openTunnel(socket: Socket, url: URL, proxy: URL): Promise<void> {
  const target = `${url.hostname}:${url.port || '443'}`;
  const headers = { host: target, ...proxyAuthorization(proxy) };
  const head = readHead(socket);
  socket.write(headText(`CONNECT ${target} HTTP/1.1`, headers), 'latin1');
  const { status } = parseHead(await head);
  if (status < 200 || status > 299) throw new NetworkError('proxy', `HTTP ${status}`);
}

/** By the name and password that the proxy's address holds. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

function readHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let unread: Buffer = Buffer.alloc(0);
    const over = (): void => stop(() => reject(new NetworkError('proxy', 'it closed the connection')));
    const take = (bytes: Buffer): void => {
      unread = Buffer.concat([unread, bytes]);
      try {
        const head = headOf(unread);
        if (head !== undefined) stop(() => resolve(head));
      } catch (error) {
        stop(() => reject(new NetworkError('proxy', classifyNetworkError(error).message)));
      }
    };
    const stop = (settle: () => void): void => {
      socket.pause();
      socket.off('data', take).off('end', over).off('close', over).off('error', over);
      settle();
    };
    socket.on('data', take).on('end', over).on('close', over).on('error', over);
  });
}

function headOf(bytes: Buffer): string | undefined {
  const split = splitHead(bytes);
  if (split === undefined) return undefined;
  // Whoever is behind the proxy speaks when it is spoken to.
  if (split.rest.length > 0) throw new NetworkError('proxy', 'it said more than it was asked');
  return split.head;
}
