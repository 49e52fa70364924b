import type { Test } from 'tap';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';

/** An uncaught error would end a program, whichever request it belongs to. */
export function detectUnhandled(t: Test): () => Promise<void> {
  const unhandled: unknown[] = [];
  const record = (problem: unknown): void => void unhandled.push(problem);
  const events = ['uncaughtExceptionMonitor', 'unhandledRejection', 'warning'] as const;
  for (const event of events) process.on(event, record);
  t.teardown(() => {
    for (const event of events) process.off(event, record);
  });
  return async () => {
    // Unhandled rejections are reported after all pending promises have run.
    await new Promise((resolve) => {
      setImmediate(() => setImmediate(resolve));
    });
    t.strictSame(unhandled, []);
  };
}

/** No socket of this process is left, neither a client's nor a server's. */
export async function assertNoSocketsLeft(): Promise<void> {
  const wait = { what: 'the end of all sockets', withinMs: 5_000, everyMs: 5 };
  await waitUntil(wait, async () => (process.getActiveResourcesInfo().some(isSocket) ? undefined : true));
}

function isSocket(resource: string): boolean {
  return ['TCPSocketWrap', 'TCPConnectWrap', 'TLSWrap', 'GetAddrInfoReqWrap'].includes(resource);
}
