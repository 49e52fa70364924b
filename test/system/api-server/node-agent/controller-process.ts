import { once } from 'node:events';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requestsBy } from './nodes.ts';
import type { MachineEnvironment } from './machine-environment.ts';
import { collectOutput } from '../../../support/collect-output.ts';

const program = executablePath('polycloud-ccm', hostArchitecture());

export interface ControllerSettings {
  readonly cloud: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** With the identity of a user, in the machine's region. */
export const onAws: Omit<ControllerSettings, 'flags'> = {
  cloud: 'aws',
  env: {
    AWS_REGION: 'us-west-2',
    AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
  },
};

/** The controller next to an agent, with the cloud of the machine whose namespace it runs in. */
export function startController(
  { namespace, plane, atEnd }: MachineEnvironment,
  { cloud, flags, env }: ControllerSettings,
): { said(): string; stop(): Promise<void> } {
  const args = ['--kubeconfig', plane.adminKubeconfig, '--cloud-provider', cloud, '--secure-port', '0', ...flags];
  const child = namespace.start(program, args, env);
  const output = collectOutput(child);
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  atEnd(stop);
  return { said: output, stop };
}

export async function untilLeading(environment: MachineEnvironment, output: () => string): Promise<void> {
  await waitUntil({ what: `the controller leads: ${output()}`, withinMs: 20_000, everyMs: 50 }, async () => {
    const requests = await requestsBy(environment, 'polycloud-ccm');
    const holds = requests.some(({ objectRef, verb }) => objectRef?.resource === 'leases' && verb !== 'get');
    return holds ? true : undefined;
  });
}
