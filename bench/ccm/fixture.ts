import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { kubeconfigAccess } from '../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../lib/kubernetes/client.ts';
import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../lib/kubernetes/open-client.ts';
import { aws as definition } from '../../test/lab/clouds/aws/cloud.ts';
import type { AwsState } from '../../test/lab/clouds/aws/state.ts';
import type { LabCloud } from '../../test/lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../test/lab/clouds/loopback.ts';
import { startControlPlane } from '../../test/lab/control-plane/control-plane.ts';
import type { ControlPlane } from '../../test/lab/control-plane/control-plane.ts';
import { preparePrograms } from '../../test/lab/control-plane/find-programs.ts';

export const region = 'us-west-2';
export const clusterName = 'bench';

/** Where all contenders are measured: one API server, one EC2. */
export interface ControllerFixture {
  readonly plane: ControlPlane;
  readonly aws: LabCloud<AwsState>;
  /** The bench's own. */
  readonly client: KubernetesClient;
  /** For configuration files and logs. */
  readonly directory: string;
  stop(): Promise<void>;
}

export async function openControllerFixture(log: (line: string) => void): Promise<ControllerFixture> {
  const found = await preparePrograms(log);
  if (!found.available) throw new Error(found.reason);
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-bench-'));
  const plane = await startControlPlane({ parts: [] });
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  await aws.update({ users: { 'lab-user': { id: 'AIDALABUSER0000000000', permissions } } });
  const access = kubeconfigAccess(plane.adminKubeconfig, { env: {}, clock: systemClock });
  const times = { clock: systemClock, random: Math.random };
  const client = createClient({ access, userAgent: 'bench', limits: defaultLimits, ...times });
  return {
    plane,
    aws,
    client,
    directory,
    stop: async () => {
      client.close();
      await Promise.all([aws.stop(), plane.stop()]);
      await rm(directory, { recursive: true });
    },
  };
}

/** All that any of the contenders asks for. */
const permissions = ['ec2:DescribeInstances', 'ec2:DescribeAvailabilityZones', 'ec2:DescribeInstanceTopology'];

/** Every answer of EC2 takes this long from now on. */
export async function setLatency({ aws }: ControllerFixture, delayMs: number): Promise<void> {
  await aws.clearFaults();
  if (delayMs > 0) await aws.addFault({ kind: 'delay', service: 'ec2', delayMs });
}
