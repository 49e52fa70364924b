export type TokenKind = 'comment' | 'string' | 'template' | 'regex' | 'word' | 'number' | 'punctuator';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly line: number;
}

/**
 * TypeScript cut into tokens, exactly enough to tell code from comments, strings, templates and regular expressions.
 * Our own, because the compiler in use has no programming interface and bundlers drop `import type`.
 * A quote that is never closed comes out as a punctuator; see `isUnreadable`.
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  /** For each open brace: does a template go on where it closes? */
  const braces: boolean[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const [kind, length] = nextToken(text, at, braces, tokens.findLast(isCode));
    const token = text.slice(at, at + length);
    if (kind !== 'space') tokens.push({ kind, text: token, line });
    line += token.split('\n').length - 1;
    at += length;
  }
  return tokens;
}

export function isCode(token: Token): boolean {
  return token.kind !== 'comment';
}

/** Did the cutting go wrong here? What follows cannot be trusted then. */
export function isUnreadable(token: Token): boolean {
  return token.kind === 'punctuator' && /['"`]/.test(token.text);
}

const patterns: readonly (readonly [TokenKind | 'space', RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /\/\/[^\n]*|\/\*[\s\S]*?\*\/|#![^\n]*/y],
  ['string', /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y],
  ['word', /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy],
  ['number', /\d[\w.]*/y],
];
const templateStart = /`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const templateRest = /\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const wordsBeforeRegex = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'await',
  'yield',
  'else',
  'do',
]);

function nextToken(
  text: string,
  at: number,
  braces: boolean[],
  before: Token | undefined,
): [TokenKind | 'space', number] {
  for (const [kind, pattern] of patterns) {
    const length = lengthAt(pattern, text, at);
    if (length > 0) return [kind, length];
  }
  if (text[at] === '/' && mayStartRegex(before)) {
    const length = lengthAt(regex, text, at);
    if (length > 0) return ['regex', length];
  }
  return templateOrPunctuator(text, at, braces);
}

function templateOrPunctuator(text: string, at: number, braces: boolean[]): [TokenKind, number] {
  const goesOn = text[at] === '}' && braces.pop() === true;
  const length = goesOn ? lengthAt(templateRest, text, at) : lengthAt(templateStart, text, at);
  if (length > 0) {
    if (text.startsWith('${', at + length - 2)) braces.push(true);
    return ['template', length];
  }
  if (text[at] === '{') braces.push(false);
  return ['punctuator', 1];
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** After a value a slash divides; after anything else it starts a regular expression. */
function mayStartRegex(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'word') return wordsBeforeRegex.has(before.text);
  if (before.kind === 'template') return before.text.endsWith('${');
  return before.kind === 'punctuator' && !/[)\]}]/.test(before.text);
}
