import { join } from 'node:path';
import { withEnvironment } from '../../test/lab/network/run-command.ts';
import { logTail } from '../../build/log-tail.ts';
import { startSupervised } from '../../build/supervised-process.ts';
import { readCpuS, readRssAnonKb, readRssKb } from './process-usage.ts';

/** A program that runs until it is stopped, and how to start one more process of it. */
export interface BenchSubject {
  readonly name: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** For one process: each serves on a port of its own. */
  args(): Promise<readonly string[]>;
}

/** One process of a subject. It ends with the bench at the latest. */
export interface Replica {
  /** By the clock of `performance.now()`. */
  readonly startedAtMs: number;
  rssAnonKb(): number;
  /** Anonymous memory and that of files. */
  rssKb(): number;
  /** Time on a processor since its start. */
  cpuS(): number;
  /** Throws, with the end of its output, if it has exited on its own. */
  check(): Promise<void>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

const tailLines = 5;
let started = 0;

export async function startReplica(
  subject: BenchSubject,
  { directory }: { readonly directory: string },
): Promise<Replica> {
  const [file, args] = withEnvironment(subject.env, subject.file, await subject.args());
  const logFile = join(directory, `replica-${String((started += 1))}.log`);
  const startedAtMs = performance.now();
  const child = await startSupervised({ file, args, env: {}, directory, logFile });
  return {
    startedAtMs,
    rssAnonKb: () => readRssAnonKb(child.pid),
    rssKb: () => readRssKb(child.pid),
    cpuS: () => readCpuS(child.pid),
    check: async () => {
      const ending = child.ending();
      if (ending !== undefined) {
        throw new Error(`${subject.name} ${ending}:\n${await logTail(logFile, tailLines)}`);
      }
    },
    end: async (signal) => {
      child.signal(signal);
      await child.ended;
    },
  };
}
