import type { NodeController } from '../../../../ccm/node-controller/controller.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import type { Random } from '../../../support/random.ts';
import type { MemoryApiServer } from '../memory-api-server.ts';
import type { FaultyCloud, Machine } from './faulty-cloud.ts';

/** Everything that the checks look at. */
export interface SimulatedCluster {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly api: MemoryApiServer;
  readonly clouds: readonly FaultyCloud[];
  /** By the name of the Node. */
  readonly machineOf: Map<string, Machine>;
  readonly headStartMs: number;
  controller: NodeController;
  /** When the API server's last fault ended. Infinity while it has one. */
  apiHealthyAtMs: number;
  ledSinceMs: number;
}
