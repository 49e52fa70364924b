export interface DocumentedCommand {
  /** Variables stay as they are written: `$NODE`. */
  readonly words: readonly string[];
  readonly line: number;
}

const shellBlock = /^(?<indent> *)```sh\n(?<code>[\s\S]*?)^ *```$/gm;
const operators = new Set(['|', '&&', '||', ';', '>', 'do', 'done']);
/** A quoted text, an operator, a comment, or a part of a word. */
const token =
  /"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<operator>\|\||&&|[|;>])|(?<space>\s+)|(?<plain>[^\s"'|;>&]+|&)/g;

/** The simple commands in the blocks of Markdown that are marked as `sh`. */
export function documentedCommands(markdown: string): readonly DocumentedCommand[] {
  return [...markdown.matchAll(shellBlock)].flatMap(({ index, groups }) => {
    const code = (groups?.['code'] ?? '').replaceAll('\\\n', '  ');
    const firstLine = markdown.slice(0, index).split('\n').length + 1;
    return code
      .split('\n')
      .flatMap((text, offset) =>
        simpleCommands(text.replace(/(?:^|\s)#.*$/, '')).map((words) => ({ words, line: firstLine + offset })),
      );
  });
}

function simpleCommands(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const word of wordsOf(text)) {
    if (operators.has(word)) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.map(withoutSettings).filter((words) => words.length > 0);
}

/** `NAME=value` before a command. */
function withoutSettings(words: readonly string[]): readonly string[] {
  const begin = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return begin < 0 ? [] : words.slice(begin);
}

type Token = Partial<Record<string, string>>;

function wordsOf(text: string): readonly string[] {
  const tokens = [...text.matchAll(token)].map(({ groups = {} }): Token => groups);
  // Parts of one word follow each other without a space.
  const words = tokens.reduce<string[]>((found, { operator, space, ...parts }) => {
    if (operator !== undefined) return [...found, operator, ''];
    if (space !== undefined) return [...found, ''];
    const part = Object.values(parts).find((each) => each !== undefined) ?? '';
    return [...found.slice(0, -1), `${found.at(-1) ?? ''}${part}`];
  }, []);
  return words.filter((word) => word !== '');
}
