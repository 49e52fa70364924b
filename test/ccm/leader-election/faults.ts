import type { LeaseStore } from '../../../ccm/leader-election/lease-store.ts';
import type { Clock } from '../../../lib/clock.ts';

/** What is wrong with the way to the API server, while it is on. */
export interface Fault {
  isOn: boolean;
}

const endless = new AbortController().signal;

/** Refuses every connection. */
export function refusing(store: LeaseStore, fault: Fault): LeaseStore {
  return around(store, async (run) => {
    if (fault.isOn) throw new Error('connection refused');
    return run();
  });
}

/** Takes requests, and never answers them nor listens to whoever gives up. */
export function mute(store: LeaseStore, fault: Fault): LeaseStore {
  return around(store, (run) => (fault.isOn ? new Promise(() => {}) : run()));
}

/** Does what it is asked, but the answer is lost. */
export function forgetful(store: LeaseStore, fault: Fault): LeaseStore {
  return around(store, async (run) => {
    const answer = await run();
    if (fault.isOn) throw new Error('connection reset');
    return answer;
  });
}

/** Does at once what it is asked, and says so late. */
export function slow(store: LeaseStore, fault: Fault, clock: Clock): LeaseStore {
  return around(store, async (run) => {
    const answer = await run();
    if (fault.isOn) await clock.sleep(4_000, endless);
    return answer;
  });
}

function around(store: LeaseStore, pass: <T>(run: () => Promise<T>) => Promise<T>): LeaseStore {
  return {
    read: (signal) => pass(() => store.read(signal)),
    create: (spec, signal) => pass(() => store.create(spec, signal)),
    update: (lease, signal) => pass(() => store.update(lease, signal)),
  };
}
