import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessOptions, SupervisedProcess } from '../../../build/supervised-process.ts';
import { withEnvironment } from '../network/run-command.ts';

/** The same program, started with the prefix. */
export function withPrefix(program: ProcessOptions, prefix: readonly string[]): ProcessOptions {
  const [file = '', ...args] = prefix;
  return { ...program, file, args: [...args, program.file, ...program.args] };
}

/** Said on the command line: see withEnvironment. */
export function withOwnEnvironment(program: ProcessOptions): ProcessOptions {
  const env = Object.entries(program.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const [file, args] = withEnvironment(Object.fromEntries(env) as Record<string, string>, program.file, program.args);
  return { ...program, file, args };
}

/** The way in waits for the program and passes no signal on, so they are sent past it. */
export function programInside(outer: SupervisedProcess): SupervisedProcess {
  return {
    ...outer,
    get pid() {
      return childInside(outer.pid) ?? outer.pid;
    },
    signal: (signal) => {
      const program = childInside(outer.pid);
      if (program === undefined) outer.signal(signal);
      else sendTo(program, signal);
    },
  };
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended in the meantime.
  }
}

/** The child that lives in a process namespace further in than ours. */
export function childInside(parent: number): number | undefined {
  const depth = namespaceDepth('self');
  return childrenOf(parent).find((pid) => namespaceDepth(String(pid)) > depth);
}

function childrenOf(parent: number): readonly number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may hold anything: state, parent.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function namespaceDepth(pid: string): number {
  try {
    const [, numbers = ''] = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return numbers.split(/\s+/).filter(Boolean).length;
  } catch {
    return 0;
  }
}
