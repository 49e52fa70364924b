import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Socket } from 'node:net';
import type { Variant } from './variant.ts';

/**
 * From the moment before the process is made until it is known to have ended, taken by a small shell: a process as large as
 * this one takes milliseconds for its half of starting another, which is more than some of what is measured.
 */
export async function wallMs(variant: Variant): Promise<number> {
  stopwatch ??= startStopwatch();
  const [startedS = 0, endedS = 0, code = 0] = (await stopwatch.take(commandLine(variant))).split(' ').map(Number);
  if (code !== 0) throw new Error(`${variant.name} ended with ${code}`);
  return (endedS - startedS) * msPerSecond;
}

const msPerSecond = 1_000;

interface Stopwatch {
  take(line: string): Promise<string>;
}

let stopwatch: Stopwatch | undefined;

const loop =
  'while IFS= read -r line <&3; do s=$EPOCHREALTIME; eval "$line"; c=$?; e=$EPOCHREALTIME; echo "$s $e $c"; done';

/** It ends with its input, so with this process. */
function startStopwatch(): Stopwatch {
  const shell = spawn('/bin/bash', ['--norc', '-c', loop], { env: {}, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const orders = shell.stdio[3] as Socket;
  const answers = createInterface({ input: shell.stdout as Socket })[Symbol.asyncIterator]();
  keepAlive(shell, orders, false);
  return {
    take: async (line) => {
      keepAlive(shell, orders, true);
      orders.write(`${line}\n`);
      const { value, done } = await answers.next();
      keepAlive(shell, orders, false);
      if (done === true) throw new Error('the shell that takes the time has ended');
      return value;
    },
  };
}

/** Only while an answer is waited for does it hold this process. */
function keepAlive(shell: ChildProcess, orders: Socket, isWaiting: boolean): void {
  for (const each of [shell, shell.stdout as Socket, orders]) {
    if (isWaiting) each.ref();
    else each.unref();
  }
}

/** The environment has only the given variables, and the shell's own PWD, SHLVL and _. */
function commandLine({ file, args, env, stdinFile }: Variant): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
  const words = [...settings, ...[file, ...args].map(quote)];
  return `${words.join(' ')} <${quote(stdinFile ?? '/dev/null')} >/dev/null 2>&1`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
