import { setTimeout } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for: the message, when it does not come. */
  readonly what: string;
  readonly withinMs: number;
  readonly everyMs: number;
}

/** Asks again and again until there is an answer. */
export async function waitUntil<T>(
  { what, withinMs, everyMs }: WaitOptions,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const startedAtMs = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() - startedAtMs > withinMs) throw new Error(`${what}: not within ${String(withinMs)} ms`);
    await setTimeout(everyMs);
  }
}
