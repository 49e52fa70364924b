import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Test } from 'tap';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';

/** One line of a candidate: when, by the clock that all processes share, and what. */
export interface OutputLine {
  readonly atMs: number;
  readonly what: string;
}

export interface CandidateProcess {
  readonly lines: readonly OutputLine[];
  /** The first message from that time on; waits for it if necessary. */
  lineFrom(atMs: number, what: string): Promise<OutputLine>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with its exit code. */
  readonly exited: Promise<number | null>;
}

const script = join(import.meta.dirname, 'candidate.ts');

/** Ends with the test. */
export function startCandidate(t: Test, args: readonly string[]): CandidateProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: OutputLine[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [at = '', ...rest] = line.split(' ');
    lines.push({ atMs: Number(at), what: rest.join(' ') });
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    lines,
    exited,
    signal: (name) => child.kill(name),
    lineFrom: (fromMs, what) =>
      waitUntil({ what: `${args[0] ?? ''} ${what}`, withinMs: 60_000, everyMs: 10 }, () => {
        const found = lines.find((entry) => entry.atMs >= fromMs && entry.what === what);
        const hasEnded = child.exitCode !== null || child.signalCode !== null;
        if (found === undefined && hasEnded) return Promise.reject(new Error(`${args[0] ?? ''} has ended`));
        return Promise.resolve(found);
      }),
  };
}

/** Of the clock that all processes share. */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** Pairs of writes by two candidates where one wrote between two writes of the other's same time of leading. */
export function leaderSwitches(first: readonly OutputLine[], second: readonly OutputLine[]): number {
  const marked = [...first.map((line) => ({ ...line, by: 1 })), ...second.map((line) => ({ ...line, by: 2 }))];
  const writes = marked.filter(({ what }) => what === 'writes').toSorted((a, b) => a.atMs - b.atMs);
  return writes.filter(({ by }, index) => index > 0 && by !== writes[index - 1]?.by).length;
}
