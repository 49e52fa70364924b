import { closeSync, openSync } from 'node:fs';
import type { Variant } from './variant.ts';
import { start, succeeded } from './variant.ts';

/** From the call that starts the process until this process has learnt that it ended. */
export async function wallMs(variant: Variant): Promise<number> {
  const stdin = openSync(variant.stdinFile ?? '/dev/null', 'r');
  try {
    const startedAtMs = performance.now();
    await succeeded(start(variant, [stdin, 'ignore', 'ignore']), variant);
    return performance.now() - startedAtMs;
  } finally {
    closeSync(stdin);
  }
}
