import type { ProgramDescription } from '../../../lib/command-line/program-description.ts';
import { outputOptions } from '../../../lib/command-line/shared-options.ts';

export const exampleProgram: ProgramDescription = {
  name: 'polycloud-example',
  summary: 'Show how it is done.',
  options: [
    { flag: '--config', value: 'FILE', description: "the user's settings" },
    { flag: '--cloud', value: 'NAME', description: 'which cloud: one of them' },
    { flag: '--format', value: 'FORMAT', choices: ['text', 'json'], description: 'of the log' },
    { flag: '--dry-run', description: 'write nothing' },
  ],
  commands: [
    { name: 'explain', operand: 'NODE', description: 'show why', options: outputOptions, uses: ['--cloud'] },
    { name: 'config lint', operand: 'PATH…', description: 'check files', options: [] },
    { name: 'config print', description: 'print one', options: [{ flag: '--pods', description: 'for pods too' }] },
  ],
};
