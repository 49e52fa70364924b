import t from 'tap';
import { runCommand } from '../../../lab/network/run-command.ts';
import { requires } from '../../../lab/requires.ts';
import { flagsInHelp, recordedFlags } from '../../../support/recorded-flags.ts';
import { findAwsController } from './aws-controller.ts';
import { findAzurePrograms } from './azure-programs.ts';

const aws = await findAwsController();
const azure = await findAzurePrograms();
const programs = [
  { recorded: 'aws-cloud-controller-manager', found: aws, file: aws.programs['aws-cloud-controller-manager'] },
  { recorded: 'azure-cloud-controller-manager', found: azure, file: azure.programs['cloud-controller-manager'] },
  { recorded: 'azure-cloud-node-manager', found: azure, file: azure.programs['cloud-node-manager'] },
] as const;

for (const { recorded, found, file } of programs) {
  await t.test(`the recorded flags of ${recorded} are those of its --help`, requires(found), async (t) => {
    const { stdout } = await runCommand(file, ['--help'], { env: {}, input: '', timeoutMs: 60_000 });
    const flags = flagsInHelp(stdout).toSorted((one, other) => one.flag.localeCompare(other.flag));
    const expected = (await recordedFlags(recorded)).toSorted((one, other) => one.flag.localeCompare(other.flag));
    t.strictSame(flags, expected);
  });
}
