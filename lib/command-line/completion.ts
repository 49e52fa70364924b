import type { CommandDescription, OptionDescription, ProgramDescription } from './program-description.ts';
import { commandsBelow, commandsOf, sharedOptions } from './shared-options.ts';
import type { shells } from './shared-options.ts';

/** A script for a shell. It has everything in it, and does not start the program. */
export function completionScript(program: ProgramDescription, shell: (typeof shells)[number]): string {
  return scripts[shell](tablesOf(program));
}

/** What the scripts are made of. */
interface CompletionTables {
  readonly program: string;
  readonly function: string;
  /** What can follow the command words so far; they are empty for the program itself. */
  readonly positions: readonly Position[];
  /** Options with a value that has to be one of some texts. */
  readonly choices: readonly OptionDescription[];
  /** Spellings of options whose value is a path, and of the others with a value. */
  readonly pathFlags: readonly string[];
  readonly otherFlags: readonly string[];
}

interface Position {
  readonly words: string;
  readonly offers: readonly Offer[];
  readonly takesPath: boolean;
}

interface Offer {
  readonly text: string;
  readonly description: string;
}

function tablesOf(program: ProgramDescription): CompletionTables {
  const commands = commandsOf(program);
  const options = [...program.options, ...commands.flatMap((command) => command.options), ...sharedOptions];
  const withValue = options.filter(({ value, choices }) => value !== undefined && choices === undefined);
  const spellings = (isPath: boolean): readonly string[] => [
    ...new Set(withValue.filter(({ value = '' }) => isPathName(value) === isPath).flatMap(spellingsOf)),
  ];
  return {
    program: program.name,
    function: `_${program.name.replaceAll('-', '_')}`,
    positions: positionsOf(program, commands),
    choices: mergedChoices(options),
    pathFlags: spellings(true),
    otherFlags: spellings(false),
  };
}

function isPathName(value: string): boolean {
  return ['FILE', 'PATH', 'PATH…', 'DIR'].includes(value);
}

function spellingsOf({ flag, aliases = [] }: OptionDescription): readonly string[] {
  return [flag, ...aliases];
}

/** Commands can have the same flag with other choices. All of them are offered. */
function mergedChoices(options: readonly OptionDescription[]): readonly OptionDescription[] {
  const byFlag = Map.groupBy(
    options.filter(({ choices }) => choices !== undefined),
    ({ flag }) => flag,
  );
  return [...byFlag.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const choices = [...new Set([first, ...others].flatMap((option) => option.choices ?? []))];
    return [{ ...first, choices }];
  });
}

function positionsOf(program: ProgramDescription, commands: readonly CommandDescription[]): readonly Position[] {
  const firstWords = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  const groups = firstWords.filter((word) => commands.every(({ name }) => name !== word));
  const common = [...program.options, ...sharedOptions].map(optionOffer);
  const firstOffers = firstWords.map((word) => {
    const command = commands.find(({ name }) => name === word);
    const below = commandsBelow(program, word).map(({ name }) => name);
    return { text: word, description: command?.description ?? below.join(', ') };
  });
  return [
    { words: '', offers: [...firstOffers, ...common], takesPath: false },
    ...groups.map((word) => ({
      words: word,
      offers: commandsBelow(program, word).map(({ name, description }) => ({
        text: name.slice(word.length + 1),
        description,
      })),
      takesPath: false,
    })),
    ...commands.map((command) => ({
      words: command.name,
      offers: [...operandOffers(command, firstOffers), ...command.options.map(optionOffer), ...common],
      takesPath: isPathName(command.operand ?? ''),
    })),
  ];
}

function operandOffers({ operand = '' }: CommandDescription, commands: readonly Offer[]): readonly Offer[] {
  if (operand === '[COMMAND]') return commands;
  return operand.includes('|') ? operand.split('|').map((text) => ({ text, description: '' })) : [];
}

/** Of several spellings the longest. */
function optionOffer(option: OptionDescription): Offer {
  const [text = ''] = spellingsOf(option).toSorted((one, other) => other.length - one.length);
  return { text, description: option.description };
}

const scripts: Readonly<Record<(typeof shells)[number], (tables: CompletionTables) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Quoted for each of the shells. No description has a backslash or a quotation mark that would need more. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The words of a command, as a `case` of bash and zsh that follows `$command` word by word. */
function commandCases(positions: readonly Position[]): string {
  return positions
    .filter(({ words }) => words !== '')
    .map(({ words }) => {
      const at = words.lastIndexOf(' ');
      const pattern = at < 0 ? ` ${words}` : words;
      return `      ${quoted(pattern)}) command=${quoted(words)} ;;\n`;
    })
    .join('');
}

function bashScript(tables: CompletionTables): string {
  const { program, function: name, positions, choices, pathFlags, otherFlags } = tables;
  const choiceCases = choices.map(
    (option) =>
      `    ${spellingsOf(option).join('|')}) COMPREPLY=($(compgen -W ${quoted((option.choices ?? []).join(' '))} -- "$current")); return ;;\n`,
  );
  const offers = positions.map(
    ({ words, offers: texts, takesPath }) =>
      `    ${quoted(words)}) offers=${quoted(texts.map(({ text }) => text).join(' '))}${takesPath ? ' paths=yes' : ''} ;;\n`,
  );
  const withValue = [...choices.flatMap(spellingsOf), ...pathFlags, ...otherFlags].join('|');
  return `# Completion of ${program} for bash. In this shell: source <(${program} completion bash)
# For all shells: ${program} completion bash > /etc/bash_completion.d/${program}
${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' word skip='' offers='' paths='' at
  # Bash makes words of --flag=value: the flag, =, and the value.
  if [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $current == = ]]; then current=''; fi
  case $before in
${choiceCases.join('')}    ${pathFlags.join('|')}) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    ${otherFlags.join('|')}) COMPREPLY=(); return ;;
  esac
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if [[ -n $skip ]]; then
      [[ $word == = ]] || skip=''
      continue
    fi
    case $word in ${withValue}) skip=yes; continue ;; esac
    case "$command $word" in
${commandCases(positions)}    esac
  done
  case $command in
${offers.join('')}  esac
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
  if [[ -n $paths && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F ${name} ${program}
`;
}

function zshScript(tables: CompletionTables): string {
  const { program, function: name, positions, choices, pathFlags, otherFlags } = tables;
  const choiceCases = choices.map(
    (option) => `    (${spellingsOf(option).join('|')}) compadd -- ${(option.choices ?? []).join(' ')}; return ;;\n`,
  );
  const offers = positions.map(({ words, offers: each, takesPath }) => {
    const lines = each.map(
      ({ text, description }) => `\n      ${quoted(`${text}:${description.replaceAll(':', ',')}`)}`,
    );
    return `    (${quoted(words)})${takesPath ? ' _files;' : ''} offers=(${lines.join('')}\n    ) ;;\n`;
  });
  const withValue = [...choices.flatMap(spellingsOf), ...pathFlags, ...otherFlags].join('|');
  return `#compdef ${program}
# Completion of ${program} for zsh. In this shell: source <(${program} completion zsh)
# For all shells: ${program} completion zsh > "\${fpath[1]}/_${program}"
${name}() {
  local command='' word skip=''
  local -a offers
  case $words[CURRENT-1] in
${choiceCases.join('')}    (${pathFlags.join('|')}) _files; return ;;
    (${otherFlags.join('|')}) return ;;
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=''; continue; fi
    case $word in (${withValue}) skip=yes; continue ;; esac
    case "$command $word" in
${commandCases(positions)}    esac
  done
  case $command in
${offers.join('')}  esac
  _describe ${program} offers
}
if [[ $funcstack[1] == _${program} || $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program}; fi
`;
}

function fishScript({ program, function: name, positions, choices, pathFlags, otherFlags }: CompletionTables): string {
  const choiceCases = choices.map(
    (option) =>
      `        case ${spellingsOf(option).join(' ')}\n            printf '%s\\n' ${(option.choices ?? []).join(' ')}\n            return\n`,
  );
  const offers = positions.map(({ words, offers: each, takesPath }) => {
    const lines = each.map(({ text, description }) => ` ${quoted(`${text}\t${description}`)}`);
    const paths = takesPath ? '            __fish_complete_path (commandline -ct)\n' : '';
    return `        case ${quoted(words)}\n${paths}            printf '%s\\n'${lines.join('')}\n`;
  });
  const cases = positions
    .filter(({ words }) => words !== '')
    .map(({ words }) => {
      const pattern = words.includes(' ') ? words : ` ${words}`;
      return `            case ${quoted(pattern)}\n                set command ${quoted(words)}\n`;
    });
  const withValue = [...choices.flatMap(spellingsOf), ...pathFlags, ...otherFlags].join(' ');
  return `# Completion of ${program} for fish. In this shell: ${program} completion fish | source
# For all shells: ${program} completion fish > ~/.config/fish/completions/${program}.fish
function ${name}
    set -l before (commandline -opc)
    set -l command ''
    set -l skip ''
    switch "$before[-1]"
${choiceCases.join('')}        case ${pathFlags.join(' ')}
            __fish_complete_path (commandline -ct)
            return
        case ${otherFlags.join(' ')}
            return
    end
    for word in $before[2..-1]
        if test -n "$skip"
            set skip ''
            continue
        end
        switch $word
            case ${withValue}
                set skip yes
                continue
        end
        switch "$command $word"
${cases.join('')}        end
    end
    switch $command
${offers.join('')}    end
end
complete -c ${program} -f -a '(${name})'
`;
}
