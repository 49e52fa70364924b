import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { Failure } from '../../../lib/failure.ts';
import { decodeMessage, encodeCall, messageLength } from './dbus-message.ts';
import type { DbusMessage, DbusValue, MethodCall } from './dbus-message.ts';

/** A connection to a bus, on which programs of the host answer calls. */
export interface DbusConnection {
  /** Rejects with a `DbusError` if the other program refuses, and with a `Failure` without a response. */
  call(call: MethodCall): Promise<readonly DbusValue[]>;
  /** Rejects when the connection has ended. */
  readonly closed: Promise<never>;
  close(): void;
}

/** The other program, or the bus, answered with an error. */
export class DbusError extends Error {
  override readonly name = 'DbusError';
  /** For example `org.freedesktop.systemd1.NoSuchUnit`. */
  readonly errorName: string;

  constructor(errorName: string, text: string) {
    super(text === '' ? errorName : `${text} (${errorName})`);
    this.errorName = errorName;
  }
}

/** As long as `systemctl` waits, which covers a reload of all units on a slow host. */
const longestCallMs = 90_000;

interface WaitingCall {
  resolve(body: readonly DbusValue[]): void;
  reject(error: Error): void;
}

/** Connects as the user of this process. `onSignal` gets every signal of the matches that the caller adds. */
export async function connectToBus(
  socketPath: string,
  onSignal: (signal: DbusMessage) => void,
): Promise<DbusConnection> {
  const socket = connect(socketPath);
  const waiting = new Map<number, WaitingCall>();
  let serial = 0;
  let ended: Error | undefined;
  const { promise: closed, reject: rejectClosed } = Promise.withResolvers<never>();
  // There may be no call that waits for it.
  closed.catch(() => undefined);
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
    rejectClosed(ended);
    socket.destroy();
  };
  const handle = (message: DbusMessage): void => {
    if (message.kind === 'signal') onSignal(message);
    const caller = waiting.get(message.replyTo);
    if (caller === undefined) return;
    waiting.delete(message.replyTo);
    if (message.kind === 'error') caller.reject(new DbusError(message.errorName, String(message.body[0] ?? '')));
    else caller.resolve(message.body);
  };
  const call = (method: MethodCall): Promise<readonly DbusValue[]> => {
    if (ended !== undefined) return Promise.reject(ended);
    serial += 1;
    const number = serial;
    const { promise, resolve, reject } = Promise.withResolvers<readonly DbusValue[]>();
    const noAnswer = (): void => end(noResponse(socketPath, `no answer to ${method.member} in 90 s`));
    const timer = setTimeout(noAnswer, longestCallMs);
    waiting.set(number, { resolve, reject });
    socket.write(encodeCall(method, number));
    return promise.finally(() => clearTimeout(timer));
  };
  try {
    await authenticate(socket);
  } catch (error) {
    socket.destroy();
    throw noResponse(socketPath, (error as Error).message, error);
  }
  socket.on('error', (error) => end(noResponse(socketPath, error.message, error)));
  socket.on('close', () => end(noResponse(socketPath, 'the connection was closed')));
  readMessages(socket, handle, (error) => end(noResponse(socketPath, error.message, error)));
  await call({ ...bus, member: 'Hello' });
  return { call, closed, close: () => end(noResponse(socketPath, 'the connection was closed')) };
}

/** The bus itself. */
export const bus = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
} as const;

function noResponse(socketPath: string, why: string, cause?: unknown): Failure {
  return new Failure('unavailable', `systemd of the host does not answer at ${socketPath}: ${why}`, {
    remedy: 'start it as root, in a container without an AppArmor profile or SELinux type that forbids the socket',
    cause,
  });
}

/** The kernel gives the bus our user id; the text only repeats it. Before that the client sends one zero byte. */
async function authenticate(socket: Socket): Promise<void> {
  socket.setTimeout(longestCallMs, () => socket.destroy(new Error('no answer in 90 s')));
  const userId = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${userId}\r\n`);
  let answer = '';
  while (!answer.includes('\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    answer += chunk.toString('latin1');
  }
  if (!answer.startsWith('OK ')) throw new Error(`the bus refused this user (${answer.trim().slice(0, 80)})`);
  socket.setTimeout(0);
  socket.write('BEGIN\r\n');
}

function readMessages(socket: Socket, handle: (message: DbusMessage) => void, fail: (error: Error) => void): void {
  let unread = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    try {
      for (let length = messageLength(unread); length !== undefined; length = messageLength(unread)) {
        if (unread.length < length) return;
        handle(decodeMessage(unread.subarray(0, length)));
        unread = unread.subarray(length);
      }
    } catch (error) {
      fail(error as Error);
    }
  });
}
