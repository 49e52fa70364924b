import type { LookupContext } from '../../clouds/cloud.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';
import { silentLog } from '../support/logs.ts';

/** For calls without I/O: any use of the network fails. */
export const unusedContext: LookupContext = {
  signal: new AbortController().signal,
  deadlineAtMs: 50_000,
  http: { send: async ({ url }) => Promise.reject(new Error(`nobody was to be asked, and ${url.href} was`)) },
  clock: createFakeClock(Date.parse('2026-11-18T12:00:00Z')),
  log: silentLog,
  random: () => 0.5,
  beforeCall: () => Promise.resolve(),
};
