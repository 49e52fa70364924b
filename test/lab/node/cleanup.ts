/** What has to be undone, the latest first. */
export interface Cleanup {
  add(step: CleanupStep): void;
  /** Every step, also when others fail; then it fails with the first of these. Once is enough, more does no harm. */
  run(logs: 'keep' | 'remove'): Promise<void>;
}

type CleanupStep = (logs: 'keep' | 'remove') => Promise<void> | void;

export function createCleanup(): Cleanup {
  const steps: CleanupStep[] = [];
  return {
    add: (step) => void steps.push(step),
    run: async (logs) => {
      const failures: unknown[] = [];
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
        try {
          await step(logs);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new Error('not everything could be undone', { cause: failures[0] });
    },
  };
}
