import { startControlPlane } from '../control-plane.ts';
import type { ControlPlane } from '../control-plane.ts';
import { snapshotState } from './reset.ts';
import type { ResetState } from './reset.ts';

/** Control planes that several have one after the other. */
export interface ControlPlanePool {
  /** One that is as new. As many are started as are needed at the same time. */
  acquire(): Promise<ControlPlane>;
  release(plane: ControlPlane): void;
  /** Its test had a problem: it is not lent again, and its logs stay. */
  discard(plane: ControlPlane): Promise<void>;
  stop(): Promise<void>;
}

export function createControlPlanePool(log: (line: string) => void): ControlPlanePool {
  const idle: ControlPlane[] = [];
  const resets = new Map<ControlPlane, ResetState>();

  async function acquire(): Promise<ControlPlane> {
    const plane = idle.pop();
    if (plane === undefined) return start();
    try {
      await resets.get(plane)?.();
      return plane;
    } catch (error) {
      log(`a control plane is replaced: ${(error as Error).message}`);
      resets.delete(plane);
      await plane.stop();
      return acquire();
    }
  }

  async function start(): Promise<ControlPlane> {
    const plane = await startControlPlane({ parts: [] });
    resets.set(plane, await snapshotState(plane));
    return plane;
  }

  return {
    acquire,
    release: (plane) => void idle.push(plane),
    discard: async (plane) => {
      resets.delete(plane);
      await plane.stopAndKeepLogs();
    },
    stop: async () => {
      await Promise.all([...resets.keys()].map((plane) => plane.stop()));
    },
  };
}
