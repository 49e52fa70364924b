import type { Socket } from 'node:net';
import type { Opening } from './open-socket.ts';

/** A connection that was opened before there is a request for it. While it waits it does not keep the process alive. */
export interface OpenedAhead {
  /** Is it open or being opened? It is closed as soon as anything arrives on it, and when no request comes. */
  isUsable(): boolean;
  /** `undefined`: it is not usable. To be called once. */
  take(): Opening | undefined;
}

const longestWaitMs = 10_000;

export function openAhead(opening: Opening): OpenedAhead {
  let state: 'waiting' | 'taken' | 'over' = 'waiting';
  let open: Socket | undefined;
  const end = (): void => {
    if (state !== 'waiting') return;
    state = 'over';
    clearTimeout(timer);
    opening.abandon();
    open?.destroy();
  };
  const timer = setTimeout(end, longestWaitMs);
  timer.unref();
  opening.hold(false);
  opening.socket.then((socket) => {
    open = socket;
    if (state === 'over') socket.destroy();
    if (state === 'waiting') for (const event of signs) socket.on(event, end);
  }, end);
  return {
    isUsable: () => state === 'waiting',
    take: () => {
      if (state !== 'waiting') return undefined;
      state = 'taken';
      clearTimeout(timer);
      for (const event of signs) open?.off(event, end);
      opening.hold(true);
      return opening;
    },
  };
}

/** A server has nothing to send before there is a request. */
const signs = ['data', 'end', 'close'] as const;
