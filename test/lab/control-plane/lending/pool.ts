import { startControlPlane } from '../control-plane.ts';
import type { ControlPlane } from '../control-plane.ts';
import { rememberState } from './reset.ts';
import type { Reset } from './reset.ts';

/** Control planes that several have one after the other. */
export interface ControlPlanePool {
  /** One that is as new. As many are started as are needed at the same time. */
  take(): Promise<ControlPlane>;
  giveBack(plane: ControlPlane): void;
  /** Whoever has it had trouble: nobody gets it any more, and its logs stay. */
  throwAway(plane: ControlPlane): Promise<void>;
  stop(): Promise<void>;
}

export function createControlPlanePool(say: (line: string) => void): ControlPlanePool {
  const idle: ControlPlane[] = [];
  const resets = new Map<ControlPlane, Reset>();

  async function take(): Promise<ControlPlane> {
    const plane = idle.pop();
    if (plane === undefined) return start();
    try {
      await resets.get(plane)?.();
      return plane;
    } catch (error) {
      say(`a control plane is replaced: ${(error as Error).message}`);
      resets.delete(plane);
      await plane.stop();
      return take();
    }
  }

  async function start(): Promise<ControlPlane> {
    const plane = await startControlPlane({ parts: [] });
    resets.set(plane, await rememberState(plane));
    return plane;
  }

  return {
    take,
    giveBack: (plane) => void idle.push(plane),
    throwAway: async (plane) => {
      resets.delete(plane);
      await plane.stopAndKeepLogs();
    },
    stop: async () => {
      await Promise.all([...resets.keys()].map((plane) => plane.stop()));
    },
  };
}
