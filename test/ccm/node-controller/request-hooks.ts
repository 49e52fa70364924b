/** What the controller awaits: each request to the cloud or the API server, when it is sent and when it is answered. */
export type RequestKind =
  | 'look up'
  | 'verify access'
  | 'read Node'
  | 'patch Node'
  | 'patch status'
  | 'patch condition'
  | 'delete Node'
  | 'create event';
export type RequestPhase = 'sent' | 'answered';

export interface RequestHooks {
  /** Does what was planned for this moment. */
  run(step: RequestKind, moment: RequestPhase): Promise<void>;
  /** Once, the next time that the controller is there. */
  on(step: RequestKind, moment: RequestPhase, action: () => void | Promise<void>): void;
  /** What was planned and has not happened yet. */
  pending(): readonly string[];
}

export function createRequestHooks(): RequestHooks {
  const planned: { readonly key: string; readonly action: () => void | Promise<void> }[] = [];
  return {
    run: async (step, moment) => {
      await Promise.resolve();
      const index = planned.findIndex(({ key: place }) => place === `${step} ${moment}`);
      const [found] = index === -1 ? [] : planned.splice(index, 1);
      await found?.action();
    },
    on: (step, moment, action) => void planned.push({ key: `${step} ${moment}`, action }),
    pending: () => planned.map(({ key: place }) => place),
  };
}
