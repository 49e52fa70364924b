import t from 'tap';
import { waitForPort } from '../../ccm/wait-for-port.ts';
import type { WaitParts } from '../../ccm/wait-for-port.ts';
import { systemClock } from '../../lib/clock.ts';
import { startStage } from '../lib/server/stage.ts';

await t.test('a port in use is waited for, and this is said once', async (t) => {
  const first = await startStage(t, {});
  const { lines, ...parts } = waiting(first.port, async (sleeps) => {
    if (sleeps === 3) await first.close();
  });
  const second = await waitForPort(() => startStage(t, { port: first.port }), parts);
  t.equal(second?.port, first.port);
  t.strictSame(lines, [`portInUse ${first.port}`]);
});

await t.test('a port that is free is not waited for', async (t) => {
  const { lines, ...parts } = waiting(0, failAtSleep);
  t.ok(await waitForPort(() => startStage(t, {}), parts));
  t.strictSame(lines, []);
});

await t.test('SIGTERM ends the waiting', async (t) => {
  const { port } = await startStage(t, {});
  const ending = new AbortController();
  const { lines, ...parts } = waiting(port, () => {
    ending.abort();
    return Promise.resolve();
  });
  t.equal(await waitForPort(() => startStage(t, { port }), { ...parts, signal: ending.signal }), undefined);
  t.equal(lines.length, 1);
});

await t.test('any other failure is not waited for', async (t) => {
  const { lines, ...parts } = waiting(0, failAtSleep);
  const certificate = (): Promise<{ key: string; cert: string }> => Promise.resolve({ key: 'no', cert: 'no' });
  await t.rejects(
    waitForPort(() => startStage(t, { certificate }), parts),
    { message: /cannot be read/ },
  );
  await t.rejects(
    waitForPort(() => startStage(t, { address: '192.0.2.1' }), parts),
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
): WaitParts & { readonly lines: readonly string[] } {
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
