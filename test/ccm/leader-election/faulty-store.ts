import type { LeaseStore } from '../../../ccm/leader-election/lease-store.ts';
import type { Clock } from '../../../lib/clock.ts';

/** What is wrong with the way to the API server, while it is on. */
export interface Fault {
  isOn: boolean;
}

const neverAborted = new AbortController().signal;

/** Refuses every connection. */
export function refusingStore(store: LeaseStore, fault: Fault): LeaseStore {
  return wrapStore(store, async (run) => {
    if (fault.isOn) throw new Error('connection refused');
    return run();
  });
}

/** Accepts requests, and neither responds nor reacts to an abort. */
export function hangingStore(store: LeaseStore, fault: Fault): LeaseStore {
  return wrapStore(store, (run) => (fault.isOn ? new Promise(() => {}) : run()));
}

/** Does what it is asked, but the answer is lost. */
export function responseLosingStore(store: LeaseStore, fault: Fault): LeaseStore {
  return wrapStore(store, async (run) => {
    const response = await run();
    if (fault.isOn) throw new Error('connection reset');
    return response;
  });
}

/** Executes requests at once, and responds late. */
export function slowStore(store: LeaseStore, fault: Fault, clock: Clock): LeaseStore {
  return wrapStore(store, async (run) => {
    const response = await run();
    if (fault.isOn) await clock.sleep(4_000, neverAborted);
    return response;
  });
}

function wrapStore(store: LeaseStore, pass: <T>(run: () => Promise<T>) => Promise<T>): LeaseStore {
  return {
    read: (signal) => pass(() => store.read(signal)),
    create: (spec, signal) => pass(() => store.create(spec, signal)),
    update: (lease, signal) => pass(() => store.update(lease, signal)),
  };
}
