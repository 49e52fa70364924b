import { createConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { openSocket } from './open-socket.ts';
import type { Opening, Place } from './open-socket.ts';
import type { Resolve } from './resolve.ts';

/** A connection that is being opened, or is open already. */
export interface Dialling extends Pick<Opening, 'resolved' | 'proxyInUse' | 'hold'> {
  /** Rejects with a `NetworkError`. */
  readonly connection: Promise<Connection>;
  /** Was it kept after another request? Then the server may close it at any moment. */
  readonly isKept: boolean;
  /** Nobody wants it any more. */
  abandon(): void;
}

export function dial(place: Place, resolve: Resolve): Dialling {
  const { socket, resolved, proxyInUse, hold, abandon } = openSocket(place, resolve);
  let connection: Connection | undefined;
  return {
    connection: socket.then((open) => (connection = createConnection(open))),
    resolved,
    proxyInUse,
    isKept: false,
    hold,
    abandon: () => {
      abandon();
      connection?.destroy();
    },
  };
}
