import { program as ccm } from '../../ccm/program.ts';
import { program as credentialProvider } from '../../credential-provider/program.ts';
import { commandUsage, optionUsage } from '../../lib/command-line/help.ts';
import type {
  CommandDescription,
  OptionDescription,
  ProgramDescription,
} from '../../lib/command-line/program-description.ts';
import { sharedCommands, sharedOptions } from '../../lib/command-line/shared-options.ts';
import { program as nodeAgent } from '../../node-agent/program.ts';

const programs: readonly ProgramDescription[] = [credentialProvider, nodeAgent, ccm];

/** Commands and flags of each program, from the descriptions that `--help` prints too. */
export function commandsPage(): string {
  return `# Commands and flags

<!-- Made by build/docs/commands-page.ts from the program.ts of each program. -->

Each program prints this with \`help\`, \`-h\` or \`--help\`, and for one command with \`help COMMAND\` or
\`COMMAND --help\`. A flag and its value are two arguments or one with \`=\`: \`--config FILE\`, \`--config=FILE\`.
\`--flag\` turns a switch on, \`--flag=false\` off.

Exit codes: 0 done, 1 failed or the answer is no, 2 wrong usage. A program checks its command line before it reads a file,
and its files before it opens a connection.

On a terminal some output has colours; \`NO_COLOR=1\` turns them off. JSON never has any.

## All programs

Commands:

${sharedCommands.map(commandItem).join('\n')}

Options:

${sharedOptions.map(optionItem).join('\n')}

${programs.map(programSection).join('\n\n')}
`;
}

function programSection({ name, summary, options, commands = [] }: ProgramDescription): string {
  return [`## ${name}`, summary, options.map(optionItem).join('\n'), ...commands.map(commandSection)].join('\n\n');
}

function commandSection(command: CommandDescription): string {
  const { description, options, uses = [] } = command;
  const used = uses.length === 0 ? [] : [`It also uses ${uses.map((flag) => `\`${flag}\``).join(', ')}.`];
  const items = options.length === 0 ? [] : [options.map(optionItem).join('\n')];
  const sentence = `${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`;
  return [`### \`${commandUsage(command)}\``, sentence, ...items, ...used].join('\n\n');
}

function commandItem(command: CommandDescription): string {
  return `- \`${commandUsage(command)}\`: ${command.description}`;
}

function optionItem(option: OptionDescription): string {
  return `- \`${optionUsage(option)}\`: ${option.description}`;
}
