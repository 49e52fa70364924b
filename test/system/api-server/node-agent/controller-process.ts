import { once } from 'node:events';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import type { AgentTestEnvironment } from './environment.ts';

const program = executablePath('polycloud-ccm', hostArchitecture());

/** The controller next to an agent, with the EC2 of the machine whose namespace it runs in. */
export function startController(
  { namespace, plane, atEnd }: AgentTestEnvironment,
  flags: readonly string[],
): { said(): string } {
  const args = ['--kubeconfig', plane.adminKubeconfig, '--cloud-provider', 'aws', '--secure-port', '0', ...flags];
  const child = namespace.start(program, args, {
    AWS_REGION: 'us-west-2',
    AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
  });
  let text = '';
  const append = (piece: string): void => {
    text += piece;
  };
  child.stdout.setEncoding('utf8').on('data', append);
  child.stderr.setEncoding('utf8').on('data', append);
  const ended = once(child, 'close');
  atEnd(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return { said: () => text };
}
