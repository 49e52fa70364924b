import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { BrokerStatus } from '../../../node-agent/broker/broker.ts';
import type { ProcessInside } from '../network/namespace.ts';

/** What a broker in a process of its own is to do before it reports. */
export interface BrokerControl {
  readonly restart?: boolean;
  /** How far its wall clock is ahead of ours. */
  readonly wallAheadMs?: number;
  /** What the API server answers, by path; absent: as before, and nothing at first. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly collectGarbage?: boolean;
}

export interface BrokerReport {
  readonly status: BrokerStatus;
  readonly metrics: string;
  readonly heapBytes: number;
}

export interface BrokerProcess {
  readonly child: ChildProcess;
  send(wish: BrokerControl): Promise<BrokerReport>;
  /** Everything that it has written to standard error, once it has ended. */
  readonly stderr: Promise<string>;
  stop(): Promise<void>;
}

/** The command that starts one; who runs it decides where. */
export const brokerCommand: readonly [string, ...string[]] = [
  process.execPath,
  '--expose-gc',
  '--use-openssl-ca',
  fileURLToPath(new URL('serve-broker.ts', import.meta.url)),
];

export function brokerProcess(child: ProcessInside): BrokerProcess {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const stderr = text(child.stderr);
  const send = async (control: BrokerControl): Promise<BrokerReport> => {
    child.stdin.write(`${JSON.stringify(control)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the broker has ended: ${await stderr}`);
    return JSON.parse(value) as BrokerReport;
  };
  return {
    child,
    send,
    stderr,
    stop: async () => {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
