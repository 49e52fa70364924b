/** What the controller awaits: each request to the cloud or the API server, when it is sent and when it is answered. */
export type Step =
  'look' | 'vouch' | 'read Node' | 'patch Node' | 'patch status' | 'patch condition' | 'delete Node' | 'create event';
export type Moment = 'sent' | 'answered';

export interface Steps {
  /** Does what was planned for this moment. */
  reach(step: Step, moment: Moment): Promise<void>;
  /** Once, the next time that the controller is there. */
  at(step: Step, moment: Moment, action: () => void | Promise<void>): void;
  /** What was planned and has not happened yet. */
  left(): readonly string[];
}

export function createSteps(): Steps {
  const planned: { readonly place: string; readonly action: () => void | Promise<void> }[] = [];
  return {
    reach: async (step, moment) => {
      await Promise.resolve();
      const index = planned.findIndex(({ place }) => place === `${step} ${moment}`);
      const [found] = index === -1 ? [] : planned.splice(index, 1);
      await found?.action();
    },
    at: (step, moment, action) => void planned.push({ place: `${step} ${moment}`, action }),
    left: () => planned.map(({ place }) => place),
  };
}
