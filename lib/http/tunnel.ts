import type { Socket } from 'node:net';
import { createHeadReader } from './head-reader.ts';
import type { WholeHead } from './head-reader.ts';
import { classifyNetworkError } from './classify-error.ts';
import { NetworkError } from './network-error.ts';
import { headText } from './request-bytes.ts';

/** Asks a proxy to lead this connection on to the place, and settles when it does. */
export async function openTunnel(socket: Socket, url: URL, proxy: URL): Promise<void> {
  const target = `${url.hostname}:${url.port || '443'}`;
  const headers = { host: target, ...proxyAuthorization(proxy) };
  const request = headText(`CONNECT ${target} HTTP/1.1`, headers);
  const answer = readAnswer(socket);
  socket.write(request, 'latin1');
  const { head, rest } = await answer;
  if (head.status > 299) throw new NetworkError('proxy', `HTTP ${head.status}`);
  // Whoever is behind the proxy speaks when it is spoken to.
  if (rest.length > 0) throw new NetworkError('proxy', 'it said more than it was asked');
}

/** By the name and password that the proxy's address holds. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const login = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new NetworkError('proxy', 'a percent sign in its user name or password encodes nothing');
  }
}

function readAnswer(socket: Socket): Promise<WholeHead> {
  return new Promise((resolve, reject) => {
    const read = createHeadReader();
    const over = (): void => stop(() => reject(new NetworkError('proxy', 'it closed the connection')));
    const take = (bytes: Buffer): void => {
      try {
        const whole = read(bytes);
        if (whole !== undefined) stop(() => resolve(whole));
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
    if (socket.destroyed) over();
  });
}
