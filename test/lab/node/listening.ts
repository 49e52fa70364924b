import { once } from 'node:events';
import { connect } from 'node:net';

/** Whether a process accepts connections at a unix socket. */
export async function isListening(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
