import type { Test } from 'tap';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';

/** What nobody caught would end a program of ours, whichever request it belongs to. */
export function watchStrays(t: Test): () => Promise<void> {
  const strays: unknown[] = [];
  const take = (stray: unknown): void => void strays.push(stray);
  const events = ['uncaughtExceptionMonitor', 'unhandledRejection', 'warning'] as const;
  for (const event of events) process.on(event, take);
  t.teardown(() => {
    for (const event of events) process.off(event, take);
  });
  return async () => {
    // What is rejected now is told of when all that was promised has run.
    await new Promise((resolve) => {
      setImmediate(() => setImmediate(resolve));
    });
    t.strictSame(strays, []);
  };
}

/** No socket of this process is left, neither a client's nor a server's. */
export async function noSocketsLeft(): Promise<void> {
  const patience = { what: 'the end of all sockets', withinMs: 5_000, everyMs: 5 };
  await waitUntil(patience, async () => (process.getActiveResourcesInfo().some(isSocket) ? undefined : true));
}

function isSocket(resource: string): boolean {
  return ['TCPSocketWrap', 'TCPConnectWrap', 'TLSWrap', 'GetAddrInfoReqWrap'].includes(resource);
}
