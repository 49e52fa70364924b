export interface SingleFlight<Result> {
  /** What is under way under this key already, or the work. The work can tell whether it was forgotten meanwhile. */
  run(key: string, work: (isCurrent: () => boolean) => Promise<Result>): Promise<Result>;
  has(key: string): boolean;
  /** Forgets what is under way: whoever waits for it gets it, and nobody else. */
  clear(): void;
}

export function createSingleFlight<Result>(): SingleFlight<Result> {
  const inFlight = new Map<string, Promise<Result>>();

  function start(key: string, work: (isCurrent: () => boolean) => Promise<Result>): Promise<Result> {
    const isCurrent = (): boolean => inFlight.get(key) === started;
    const started = work(isCurrent).finally(() => {
      if (isCurrent()) inFlight.delete(key);
    });
    inFlight.set(key, started);
    return started;
  }

  return {
    run: (key, work) => inFlight.get(key) ?? start(key, work),
    has: (key) => inFlight.has(key),
    clear: () => inFlight.clear(),
  };
}
