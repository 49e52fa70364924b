import t from 'tap';
import { waitForPort } from '../../ccm/wait-for-port.ts';
import type { PortWaitParts } from '../../ccm/wait-for-port.ts';
import { systemClock } from '../../lib/clock.ts';
import { startTestServer } from '../lib/server/test-server.ts';

await t.test('a port in use is waited for, and logged once', async (t) => {
  const first = await startTestServer(t, {});
  const { lines, ...parts } = waiting(first.port, async (sleeps) => {
    if (sleeps === 3) await first.close();
  });
  const second = await waitForPort(() => startTestServer(t, { port: first.port }), parts);
  t.equal(second?.port, first.port);
  t.strictSame(lines, [`portInUse ${first.port}`]);
});

await t.test('a port that is free is not waited for', async (t) => {
  const { lines, ...parts } = waiting(0, failAtSleep);
  t.ok(await waitForPort(() => startTestServer(t, {}), parts));
  t.strictSame(lines, []);
});

await t.test('SIGTERM ends the waiting', async (t) => {
  const { port } = await startTestServer(t, {});
  const ending = new AbortController();
  const { lines, ...parts } = waiting(port, () => {
    ending.abort();
    return Promise.resolve();
  });
  t.equal(await waitForPort(() => startTestServer(t, { port }), { ...parts, signal: ending.signal }), undefined);
  t.equal(lines.length, 1);
});

await t.test('any other failure is not waited for', async (t) => {
  const { lines, ...parts } = waiting(0, failAtSleep);
  const certificate = (): Promise<{ key: string; cert: string }> => Promise.resolve({ key: 'no', cert: 'no' });
  await t.rejects(
    waitForPort(() => startTestServer(t, { certificate }), parts),
    { message: /cannot be read/ },
  );
  await t.rejects(
    waitForPort(() => startTestServer(t, { address: '192.0.2.1' }), parts),
    { message: /cannot be listened on/ },
  );
  t.strictSame(lines, []);
});

/** At once, since a rejection would only end the sleep. */
function failAtSleep(): never {
  throw new Error('it slept');
}

/** With real ports; sleeping takes no time, and `during` happens in each sleep. */
function waiting(
  port: number,
  during: (sleeps: number) => Promise<void>,
): PortWaitParts & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  let sleeps = 0;
  return {
    port,
    clock: { ...systemClock, sleep: () => during((sleeps += 1)) },
    log: { standard: (name, { port: used }) => void lines.push(`${name} ${String(used)}`) },
    signal: new AbortController().signal,
    lines,
  };
}
