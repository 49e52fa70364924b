import { setTimeout } from 'node:timers/promises';
import { anonymousKb } from '../../system/api-server/node-agent/agent-process.ts';

const everyMs = 500;

/** The most anonymous memory that any of the processes had, until the signal. */
export async function watchMemory(pids: () => readonly number[], signal: AbortSignal): Promise<number> {
  let mostKb = 0;
  while (!signal.aborted) {
    // One that has ended in the meantime has none.
    const found = await Promise.all(pids().map((pid) => anonymousKb(pid).catch(() => 0)));
    mostKb = Math.max(mostKb, ...found.filter((kb) => !Number.isNaN(kb)));
    await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return mostKb;
}
