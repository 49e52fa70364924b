import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { BrokerStatus } from '../../../node-agent/broker/broker.ts';
import type { ProcessInside } from '../network/namespace.ts';

/** What a broker in a process of its own is to do before it reports. */
export interface BrokerWish {
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
  tell(wish: BrokerWish): Promise<BrokerReport>;
  /** Everything that it has written to standard error, once it has ended. */
  readonly said: Promise<string>;
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
  const said = text(child.stderr);
  const tell = async (wish: BrokerWish): Promise<BrokerReport> => {
    child.stdin.write(`${JSON.stringify(wish)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`the broker has ended: ${await said}`);
    return JSON.parse(value) as BrokerReport;
  };
  return {
    child,
    tell,
    said,
    stop: async () => {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
