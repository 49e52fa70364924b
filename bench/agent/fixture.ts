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
import type { RecordedRequest } from '../../test/lab/clouds/request-log.ts';
import { startControlPlane } from '../../test/lab/control-plane/control-plane.ts';
import type { ControlPlane } from '../../test/lab/control-plane/control-plane.ts';
import { preparePrograms } from '../../test/lab/control-plane/find-programs.ts';
import { ownInstance } from '../../test/system/api-server/node-agent/environment.ts';
import { createPodNamespace } from '../../test/system/api-server/node-agent/pods.ts';

/** Where all subjects are measured: one API server, and one machine of AWS with its metadata service. */
export interface AgentFixture {
  readonly plane: ControlPlane;
  readonly aws: LabCloud<AwsState>;
  /** The bench's own. */
  readonly client: KubernetesClient;
  /** For configuration files and logs. */
  readonly directory: string;
  stop(): Promise<void>;
}

export const spotPath = 'meta-data/spot/instance-action';
export const scheduledEventsPath = 'meta-data/events/maintenance/scheduled';

export async function openAgentFixture(log: (line: string) => void): Promise<AgentFixture> {
  const found = await preparePrograms(log);
  if (!found.available) throw new Error(found.reason);
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-bench-'));
  const plane = await startControlPlane({ parts: [] });
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  const access = kubeconfigAccess(plane.adminKubeconfig, { env: {}, clock: systemClock });
  const times = { clock: systemClock, random: Math.random };
  const client = createClient({ access, userAgent: 'bench', limits: defaultLimits, ...times });
  await createPodNamespace({ plane });
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

/** No notice, no fault, no earlier request; the machine is known to its metadata service. */
export async function resetMetadata({ aws }: AgentFixture): Promise<void> {
  await aws.reset();
  await aws.update({
    ec2Instances: { [ownInstance.instanceId]: ownInstance },
    // EC2 lists no event rather than nothing. The termination handler ends without a list.
    metadata: { [scheduledEventsPath]: '[]' },
  });
}

/** The reads of one document of the metadata service that were answered, with a value or without. */
export async function readsOf({ aws }: AgentFixture, path: string): Promise<readonly RecordedRequest[]> {
  const requests = await aws.requests();
  return requests.filter((each) => each.path === `/latest/${path}` && (each.status === 200 || each.status === 404));
}
