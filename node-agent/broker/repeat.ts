import type { Clock } from '../../lib/clock.ts';

export interface RepeatSettings {
  readonly name: string;
  /** The pause after each run. */
  readonly everyMs: number;
  readonly clock: Clock;
  /** Never rejects. */
  run(): Promise<void>;
}

export interface RepeatLoop {
  readonly name: string;
  /** The time since a run last began or ended. */
  quietMs(): number;
  /** Resolves soon after the signal: it does not wait for a run that is under way. */
  readonly ended: Promise<void>;
}

export function repeat({ name, everyMs, clock, run }: RepeatSettings, signal: AbortSignal): RepeatLoop {
  let lastAtMs = clock.monotonicMs();
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => resolve(undefined), { once: true });

  async function loop(): Promise<void> {
    while (await sleepUnlessAborted(everyMs, clock, signal)) {
      lastAtMs = clock.monotonicMs();
      await Promise.race([run(), aborted]);
      lastAtMs = clock.monotonicMs();
    }
  }

  return { name, quietMs: () => clock.monotonicMs() - lastAtMs, ended: loop() };
}

/** `false`: aborted. */
function sleepUnlessAborted(durationMs: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(durationMs, signal).then(
    () => true,
    () => false,
  );
}
