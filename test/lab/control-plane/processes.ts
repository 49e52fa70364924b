import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { logTail } from '../../../build/log-tail.ts';
import type { ProcessOptions, SupervisedProcess } from '../../../build/supervised-process.ts';
import { waitUntil } from './wait-until.ts';

/** The processes of one control plane or one node, by part. */
export interface Processes<Name extends string> {
  /** Starts it, and waits until `isReady` returns true. Fails if it ends before. */
  start(name: Name, program: PartProgram, isReady: () => Promise<boolean>): Promise<void>;
  /** Ends it, and kills it when that takes too long. */
  stop(name: Name): Promise<void>;
  kill(name: Name): Promise<void>;
  /** Then it is over: nothing can be started any more. */
  killAll(): Promise<void>;
  signal(name: Name, signal: NodeJS.Signals): void;
  pid(name: Name): number;
}

export interface ProcessesOptions {
  /** Where they run, and their HOME. */
  readonly directory: string;
  readonly logs: string;
  /** How one is started: here, or in namespaces of its own. */
  launch(options: ProcessOptions): Promise<SupervisedProcess>;
}

export interface PartProgram {
  readonly file: string;
  readonly args: readonly string[];
}

const readyWithinMs = 60_000;
const askEveryMs = 50;
const stopTimeoutMs = 10_000;
const tailLines = 4;

export function createProcesses<Name extends string>({ directory, logs, launch }: ProcessesOptions): Processes<Name> {
  const running = new Map<Name, SupervisedProcess>();
  let isOver = false;
  function find(name: Name): SupervisedProcess {
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} does not run`);
    return found;
  }
  async function end(name: Name, signal: NodeJS.Signals): Promise<void> {
    const process = find(name);
    await endProcess(process, signal);
    if (running.get(name) === process) running.delete(name);
  }
  async function start(name: Name, { file, args }: PartProgram): Promise<SupervisedProcess> {
    const before = running.get(name);
    if (before !== undefined && before.ending() === undefined) throw new Error(`${name} runs already`);
    const logFile = join(logs, `${name}.log`);
    const process = await launch({ file, args, env: environment(directory), directory, logFile });
    running.set(name, process);
    if (isOver) await end(name, 'SIGKILL');
    return process;
  }
  return {
    start: async (name, program, isReady) => {
      if (isOver) throw new Error(`${name} is too late: it is all being stopped`);
      await waitUntilReady(name, await start(name, program), isReady);
    },
    stop: (name) => end(name, 'SIGTERM'),
    kill: (name) => end(name, 'SIGKILL'),
    killAll: async () => {
      isOver = true;
      await Promise.all([...running.keys()].map((name) => end(name, 'SIGKILL')));
    },
    signal: (name, signal) => find(name).signal(signal),
    pid: (name) => find(name).pid,
  };
}

/** One that takes its time is killed. */
async function endProcess(process: SupervisedProcess, signal: NodeJS.Signals): Promise<void> {
  process.signal(signal);
  const timeout = new AbortController();
  const tooLate = setTimeout(stopTimeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined);
  await Promise.race([process.ended, tooLate]);
  timeout.abort();
  process.signal('SIGKILL');
  await process.ended;
}

/** Nothing of the machine's: no proxy, no settings of Go or etcd. */
function environment(directory: string): Readonly<Record<string, string>> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: directory };
}

async function waitUntilReady(
  name: string,
  process: SupervisedProcess,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const waitOptions = { what: `${name} is ready`, withinMs: readyWithinMs, everyMs: askEveryMs };
  const ended = process.ended.then(() => false);
  await waitUntil(waitOptions, async () => {
    // Another program may have the port, and never respond.
    if (await Promise.race([isReady(), ended])) return true;
    const ending = process.ending();
    if (ending === undefined) return undefined;
    throw new Error(`${name} ${ending} before it was ready:\n${await logTail(process.logFile, tailLines)}`);
  });
}
