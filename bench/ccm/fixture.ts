import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { kubeconfigAccess } from '../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../lib/kubernetes/client.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../lib/kubernetes/open-client.ts';
import { startControlPlane } from '../../test/lab/control-plane/control-plane.ts';
import type { ControlPlane } from '../../test/lab/control-plane/control-plane.ts';
import { preparePrograms } from '../../test/lab/control-plane/find-programs.ts';
import type { BenchCloud, StartBenchCloud } from './clouds/cloud.ts';

/** Where all contenders are measured: one API server, one cloud. */
export interface ControllerFixture {
  readonly plane: ControlPlane;
  readonly cloud: BenchCloud;
  /** The bench's own. */
  readonly client: KubernetesClient;
  /** For configuration files and logs. */
  readonly directory: string;
  stop(): Promise<void>;
}

export async function openControllerFixture(
  startCloud: StartBenchCloud,
  log: (line: string) => void,
): Promise<ControllerFixture> {
  const found = await preparePrograms(log);
  if (!found.available) throw new Error(found.reason);
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-bench-'));
  const plane = await startControlPlane({ parts: [] });
  const cloud = await startCloud(directory);
  const access = kubeconfigAccess(plane.adminKubeconfig, { env: {}, clock: systemClock });
  const times = { clock: systemClock, random: Math.random };
  const client = createClient({ access, userAgent: 'bench', limits: defaultLimits, ...times });
  return {
    plane,
    cloud,
    client,
    directory,
    stop: async () => {
      client.close();
      await Promise.all([cloud.stop(), plane.stop()]);
      await rm(directory, { recursive: true });
    },
  };
}
