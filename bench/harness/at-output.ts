import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readRssAnonKb } from './process-usage.ts';
import type { Variant } from './variant.ts';
import { startVariant, waitForSuccess } from './variant.ts';

export interface AtOutput {
  /** Anonymous memory. */
  readonly rssAnonKb: number;
  /** Time on a processor, user and system, of all threads. */
  readonly cpuMs: number;
}

/**
 * What a process has used when it writes its answer: its standard output is a pipe that is full, so it stands still in
 * that write until it has been looked at.
 */
export async function measureAtOutput(variant: Variant): Promise<AtOutput> {
  const pipe = openFullPipe();
  const stdin = openSync(variant.stdinFile ?? '/dev/null', 'r');
  try {
    const child = startVariant(variant, [stdin, pipe.writeEnd, 'ignore']);
    const ended = waitForSuccess(child, variant);
    const processId = String(child.pid);
    await Promise.race([untilWriting(processId), ended]);
    const measured = { rssAnonKb: readRssAnonKb(processId), cpuMs: readCpuMs(processId) };
    pipe.drain();
    await ended;
    return measured;
  } finally {
    closeSync(stdin);
    pipe.close();
  }
}

interface FullPipe {
  readonly writeEnd: number;
  drain(): void;
  close(): void;
}

const blockBytes = 4096;

/** A named pipe, since only that can be opened twice: without blocking by us, with blocking by the process. */
function openFullPipe(): FullPipe {
  const directory = mkdtempSync(join(tmpdir(), 'polycloud-bench-'));
  const path = join(directory, 'pipe');
  execFileSync('/usr/bin/mkfifo', [path]);
  const ours = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const writeEnd = openSync(path, 'w');
  const block = Buffer.alloc(blockBytes);
  untilWouldWait(() => writeSync(ours, block));
  return {
    writeEnd,
    drain: () => untilWouldWait(() => readSync(ours, block)),
    close: () => {
      closeSync(ours);
      closeSync(writeEnd);
      rmSync(directory, { recursive: true });
    },
  };
}

function untilWouldWait(transfer: () => void): void {
  for (;;) {
    try {
      transfer();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return;
      throw error;
    }
  }
}

const deadlineMs = 20_000;

async function untilWriting(processId: string): Promise<void> {
  const giveUpAtMs = performance.now() + deadlineMs;
  while (performance.now() < giveUpAtMs) {
    if (threadsOf(processId).some((thread) => read(`${thread}/wchan`).includes('pipe_write'))) return;
    await wait(1);
  }
  throw new Error(`no answer within ${deadlineMs} ms`);
}

/** The first number of schedstat: nanoseconds on a processor. Threads that have ended are not in it. */
function readCpuMs(processId: string): number {
  const nanoseconds = threadsOf(processId).map((thread) => Number(read(`${thread}/schedstat`).split(' ')[0]));
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}

/** Any of them may be the one that writes: Go's runtime moves its work about. */
function threadsOf(processId: string): readonly string[] {
  return readdirSync(`/proc/${processId}/task`).map((thread) => `/proc/${processId}/task/${thread}`);
}

/** Nothing, when the thread has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
