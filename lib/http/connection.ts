import type { Socket } from 'node:net';
import { classifyNetworkError } from './classify-error.ts';
import { NetworkError } from './network-error.ts';

/** A socket for one exchange after the other. While nobody uses it, it keeps nobody alive, and whatever comes spoils it. */
export interface Connection {
  /** Is it open, with nothing left that is still to be sent? */
  isUsable(): boolean;
  /** Has it carried a request? */
  wasUsed(): boolean;
  use(user: User): void;
  /** For so long at most. */
  rest(longestMs: number): void;
  send(bytes: Buffer): void;
  destroy(): void;
}

/** Neither may throw. */
export interface User {
  bytes(part: Buffer): void;
  /** Nothing more comes; without a reason it was ended in order. May be told twice. */
  over(reason: NetworkError | undefined): void;
}

export function createConnection(socket: Socket): Connection {
  let user: User | undefined;
  let used = false;
  let usable = !socket.destroyed;
  let timer: NodeJS.Timeout | undefined;
  const over = (reason: NetworkError | undefined): void => {
    usable = false;
    if (user === undefined) socket.destroy();
    user?.over(reason);
  };
  socket.on('data', (part: Buffer) => {
    if (user === undefined) over(undefined);
    else user.bytes(part);
  });
  socket.on('error', (error) => over(classifyNetworkError(error)));
  socket.on('end', () => over(undefined));
  // In order there is an end first.
  socket.on('close', () => over(new NetworkError('reset', '')));
  return {
    isUsable: () => usable && !socket.destroyed && socket.writableLength === 0,
    wasUsed: () => used,
    use: (next) => {
      used = true;
      clearTimeout(timer);
      user = next;
      socket.ref();
      if (socket.destroyed) over(new NetworkError('reset', ''));
    },
    rest: (longestMs) => {
      user = undefined;
      socket.unref();
      timer = setTimeout(() => over(undefined), longestMs);
      timer.unref();
    },
    send: (bytes) => void socket.write(bytes),
    destroy: () => {
      usable = false;
      socket.destroy();
    },
  };
}
