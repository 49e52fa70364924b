export interface SingleFlight<Result> {
  /** What is under way under this key already, or the work. The work can tell whether it was forgotten meanwhile. */
  run(key: string, work: (isCurrent: () => boolean) => Promise<Result>): Promise<Result>;
  has(key: string): boolean;
  /** Forgets what is under way: whoever waits for it gets it, and nobody else. */
  clear(): void;
}

export function createSingleFlight<Result>(): SingleFlight<Result> {
  const underWay = new Map<string, Promise<Result>>();

  function start(key: string, work: (isCurrent: () => boolean) => Promise<Result>): Promise<Result> {
    const isCurrent = (): boolean => underWay.get(key) === started;
    const started = work(isCurrent).finally(() => {
      if (isCurrent()) underWay.delete(key);
    });
    underWay.set(key, started);
    return started;
  }

  return {
    run: (key, work) => underWay.get(key) ?? start(key, work),
    has: (key) => underWay.has(key),
    clear: () => underWay.clear(),
  };
}
