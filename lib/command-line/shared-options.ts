import type { FlagValues } from './flag-values.ts';
import type { CommandDescription, OptionDescription, ProgramDescription } from './program-description.ts';

/** Of each command whose output another program may read. */
export const outputOptions = outputOptionsFor('text');

/** `usual` is the format without the option. */
export function outputOptionsFor(usual: 'text' | 'yaml'): readonly OptionDescription[] {
  return [
    {
      flag: '-o',
      aliases: ['--output'],
      value: 'FORMAT',
      choices: [usual, 'json'],
      description: `${usual} or json (default ${usual})`,
    },
    { flag: '--json', description: 'the same as -o json' },
  ];
}

export function wantsJson(options: FlagValues): boolean {
  return options['-o'] === 'json' || options['--json'] === 'true';
}

export const verbosityOption = {
  flag: '-v',
  aliases: ['--v'],
  value: 'LEVEL',
  description: 'what to log on standard error: 0 only failures, 1 each step too (default 0)',
} as const satisfies OptionDescription;

/** They end the program, whatever else is on the command line. */
export const helpOption = {
  flag: '--help',
  aliases: ['-h'],
  description: 'print help, with a command before it the help of that command',
} as const satisfies OptionDescription;
export const versionOption = {
  flag: '--version',
  description: 'print name, version, commit and Node.js version',
} as const satisfies OptionDescription;

export const sharedOptions: readonly OptionDescription[] = [verbosityOption, versionOption, helpOption];

export const shells = ['bash', 'zsh', 'fish'] as const;

/** Of every program. Their names do not appear in `ProgramDescription.commands`. */
export const sharedCommands = [
  { name: 'help', operand: '[COMMAND]', description: 'print help of the program or of a command', options: [] },
  { name: 'version', description: 'print version, commit and Node.js version', options: outputOptions },
  {
    name: 'completion',
    operand: shells.join('|'),
    description: 'print a script that completes commands and flags in this shell',
    options: [],
  },
] as const satisfies readonly CommandDescription[];

export function commandsOf({ commands = [] }: ProgramDescription): readonly CommandDescription[] {
  return [...commands, ...sharedCommands];
}

/** The commands below one first word: `config lint` and `config print` for `config`. */
export function commandsBelow(program: ProgramDescription, word: string): readonly CommandDescription[] {
  return commandsOf(program).filter(({ name }) => name.startsWith(`${word} `));
}
