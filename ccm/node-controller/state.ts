import type { NodeUid } from '../../clouds/index.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { LeadershipLost } from './cluster.ts';
import type { ControllerDependencies } from './dependencies.ts';
import type { Schedule } from './schedule.ts';
import type { Scopes } from './scopes.ts';
import type { TrackedNode } from './tracked-node.ts';

/** What one controller knows and does. */
export interface ControllerState {
  dependencies: ControllerDependencies;
  readonly nodes: Map<NodeUid, TrackedNode>;
  readonly schedule: Schedule;
  scopes: Scopes;
  leading: boolean;
  /** Leadership ends only when all of them have ended. */
  readonly runningTasks: Set<Promise<unknown>>;
  /** When the loop looks for due Nodes again, on the monotonic clock. */
  looksAgainAtMs: number;
  /** Makes the loop look at once. */
  wake(): void;
}

/** Runs in the background. An error is logged; that leadership was lost is known already. */
export function runTask(task: Promise<unknown>, state: ControllerState): void {
  const logged = task.catch((error: unknown) => {
    if (error instanceof LeadershipLost) return;
    state.dependencies.log.error('Work of the controller failed', failureFields(error));
  });
  const running = logged.finally(() => {
    state.runningTasks.delete(running);
    state.wake();
  });
  state.runningTasks.add(running);
}
