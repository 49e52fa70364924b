import { join } from 'node:path';
import { withEnvironment } from '../../test/lab/network/run-command.ts';
import { logTail } from '../../test/lab/control-plane/log-tail.ts';
import { startSupervised } from '../../test/lab/control-plane/supervised-process.ts';
import { readCpuS, readRssAnonKb } from '../harness/process-usage.ts';
import type { ControllerSubject } from './subjects.ts';
import type { ControllerFixture } from './fixture.ts';

/** One process of a controller. It ends with the bench at the latest. */
export interface Replica {
  readonly subject: ControllerSubject;
  /** By the clock of `performance.now()`. */
  readonly startedAtMs: number;
  rssAnonKb(): number;
  /** Time on a processor since its start. */
  cpuS(): number;
  /** Throws, with the end of its output, if it has exited on its own. */
  check(): Promise<void>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

const tailLines = 5;
let started = 0;

export async function startReplica(subject: ControllerSubject, { directory }: ControllerFixture): Promise<Replica> {
  const [file, args] = withEnvironment(subject.env, subject.file, await subject.args());
  const logFile = join(directory, `replica-${String((started += 1))}.log`);
  const startedAtMs = performance.now();
  const child = await startSupervised({ file, args, env: {}, directory, logFile });
  return {
    subject,
    startedAtMs,
    rssAnonKb: () => readRssAnonKb(child.pid),
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
