import { isCode, isUnreadable, tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

export interface Import {
  readonly line: number;
  /** `undefined`: made up at run time, so nobody can say what it imports. */
  readonly specifier: string | undefined;
}

/** Everything a file imports: `import` and `export … from` with and without `type`, `import()` as code and as a type. */
export function importsOf(text: string): readonly Import[] {
  const tokens = tokenize(text).filter(isCode);
  return tokens.flatMap((token, index) => {
    const found = importAt(tokens, index);
    return found === undefined ? [] : [{ line: token.line, specifier: found.specifier }];
  });
}

/** The line from which on `importsOf` cannot be trusted. */
export function unreadableLine(text: string): number | undefined {
  return tokenize(text).find(isUnreadable)?.line;
}

function importAt(tokens: readonly Token[], index: number): { specifier: string | undefined } | undefined {
  const token = tokens[index];
  if (token?.kind !== 'word' || tokens[index - 1]?.text === '.') return undefined;
  const next = tokens[index + 1];
  if (token.text === 'import') return next?.text === '(' ? called(tokens, index + 2) : imported(tokens, index + 1);
  if (token.text === 'export') return reExported(tokens, index + 1);
  return undefined;
}

/** `import('x')`; anything but one literal is unknown. */
function called(tokens: readonly Token[], at: number): { specifier: string | undefined } {
  const after = tokens[at + 1]?.text;
  return { specifier: after === ')' || after === ',' ? literal(tokens[at]) : undefined };
}

/** `import 'x'`, or an import clause and `from 'x'`. */
function imported(tokens: readonly Token[], at: number): { specifier: string | undefined } | undefined {
  return tokens[at]?.kind === 'string' ? { specifier: literal(tokens[at]) } : fromClause(tokens, at);
}

/** `export * from 'x'`, `export { a } from 'x'`, both with `type`; no other export has a clause. */
function reExported(tokens: readonly Token[], at: number): { specifier: string | undefined } | undefined {
  const start = tokens[at]?.text === 'type' ? at + 1 : at;
  return /^[*{]$/.test(tokens[start]?.text ?? '') ? fromClause(tokens, start) : undefined;
}

/** The clause ends at the first token that cannot belong to it, and is none without a `from` before that. */
function fromClause(tokens: readonly Token[], at: number): { specifier: string | undefined } | undefined {
  const rest = tokens.slice(at);
  const end = rest.findIndex((token) => !isClausePart(token));
  const clause = end === -1 ? rest : rest.slice(0, end);
  const from = clause.findIndex((token, index) => token.text === 'from' && clause[index + 1]?.kind === 'string');
  return from === -1 ? undefined : { specifier: literal(clause[from + 1]) };
}

function isClausePart(token: Token): boolean {
  return token.kind === 'word' || token.kind === 'string' || /^[*{},]$/.test(token.text);
}

function literal(token: Token | undefined): string | undefined {
  const isLiteral = token?.kind === 'string' || (token?.kind === 'template' && /^`[^`]*`$/.test(token.text));
  return isLiteral ? token.text.slice(1, -1) : undefined;
}
