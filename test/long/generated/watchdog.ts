import { Worker } from 'node:worker_threads';

/** Prints the case when the process itself blocks, which no timer of its own could notice. */
export interface Watchdog {
  begin(caseNumber: number): void;
  end(): Promise<unknown>;
}

export function startWatchdog(reproduce: string, longestMs: number): Watchdog {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(watch, {
    eval: true,
    workerData: { shared, reproduce, longestMs, processId: process.pid },
  });
  worker.unref();
  return {
    begin: (caseNumber) => {
      Atomics.store(shared, 1, caseNumber);
      Atomics.add(shared, 0, 1);
      Atomics.notify(shared, 0);
    },
    end: () => worker.terminate(),
  };
}

/** Plain JavaScript, since it is evaluated and not loaded. */
const watch = `
const { workerData: { shared, reproduce, longestMs, processId } } = require('node:worker_threads');
let before;
// A wake-up proves nothing: the next case may have been seen before its notice arrived.
do before = Atomics.load(shared, 0);
while (Atomics.wait(shared, 0, before, longestMs) !== 'timed-out');
require('node:fs').writeSync(2, 'stands still: ' + reproduce + Atomics.load(shared, 1) + '\\n');
process.kill(processId, 'SIGKILL');
`;
