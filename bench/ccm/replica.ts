import { join } from 'node:path';
import { withEnvironment } from '../../test/lab/network/run-command.ts';
import { logTail } from '../../test/lab/control-plane/log-tail.ts';
import { startSupervised } from '../../test/lab/control-plane/supervised-process.ts';
import { readCpuS, readRssAnonKb } from '../harness/process-usage.ts';
import type { Contender } from './contenders.ts';
import type { Place } from './place.ts';

/** One process of a controller. It ends with the bench at the latest. */
export interface Replica {
  readonly contender: Contender;
  /** By the clock of `performance.now()`. */
  readonly startedAtMs: number;
  rssAnonKb(): number;
  /** Time on a processor since its start. */
  cpuS(): number;
  /** Throws, with the end of what it said, if it has ended by itself. */
  check(): Promise<void>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

const tailLines = 5;
let started = 0;

export async function startReplica(contender: Contender, { directory }: Place): Promise<Replica> {
  const [file, args] = withEnvironment(contender.env, contender.file, await contender.args());
  const logFile = join(directory, `replica-${String((started += 1))}.log`);
  const startedAtMs = performance.now();
  const child = await startSupervised({ file, args, env: {}, directory, logFile });
  return {
    contender,
    startedAtMs,
    rssAnonKb: () => readRssAnonKb(child.pid),
    cpuS: () => readCpuS(child.pid),
    check: async () => {
      const ending = child.ending();
      if (ending !== undefined) {
        throw new Error(`${contender.name} ${ending}:\n${await logTail(logFile, tailLines)}`);
      }
    },
    end: async (signal) => {
      child.signal(signal);
      await child.ended;
    },
  };
}
