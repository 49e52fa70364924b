import type { Socket } from 'node:net';
import type { PendingConnection } from './open-socket.ts';

/** A connection that was opened before there is a request for it. While it waits, it does not keep the process alive. */
export interface Preconnection {
  /** True while it is open or being opened. It is closed as soon as a byte arrives, and when no request comes in time. */
  isUsable(): boolean;
  /** `undefined` if it is not usable. Called once. */
  take(): PendingConnection | undefined;
}

const longestWaitMs = 10_000;

export function createPreconnection(pendingConnection: PendingConnection): Preconnection {
  let state: 'waiting' | 'taken' | 'over' = 'waiting';
  let connectedSocket: Socket | undefined;
  const end = (): void => {
    if (state !== 'waiting') return;
    state = 'over';
    clearTimeout(timer);
    pendingConnection.abort();
    connectedSocket?.destroy();
  };
  const timer = setTimeout(end, longestWaitMs);
  timer.unref();
  pendingConnection.keepProcessAlive(false);
  pendingConnection.socket.then((socket) => {
    connectedSocket = socket;
    if (state === 'over') socket.destroy();
    if (state === 'waiting') for (const event of unexpectedEvents) socket.on(event, end);
  }, end);
  return {
    isUsable: () => state === 'waiting',
    take: () => {
      if (state !== 'waiting') return undefined;
      state = 'taken';
      clearTimeout(timer);
      for (const event of unexpectedEvents) connectedSocket?.off(event, end);
      pendingConnection.keepProcessAlive(true);
      return pendingConnection;
    },
  };
}

/** A server sends nothing before there is a request. */
const unexpectedEvents = ['data', 'end', 'close'] as const;
