import type { Replica } from './replica.ts';

/** The most anonymous memory that a process is seen with from here on. */
export interface PeakWatch {
  /** Ends it. */
  peakKb(): number;
}

const everyMs = 25;

export function watchPeak(replica: Pick<Replica, 'rssAnonKb'>): PeakWatch {
  let peakKb = 0;
  const sample = (): void => {
    try {
      peakKb = Math.max(peakKb, replica.rssAnonKb());
    } catch {
      // It has ended. The code that waits for its work reports that.
      clearInterval(timer);
    }
  };
  const timer = setInterval(sample, everyMs);
  return {
    peakKb: () => {
      clearInterval(timer);
      sample();
      return peakKb;
    },
  };
}
