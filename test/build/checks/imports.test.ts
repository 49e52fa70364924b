import t from 'tap';
import { importsOf, unreadableLine } from '../../../build/checks/imports.ts';

const forms: Readonly<Record<string, readonly (string | undefined)[]>> = {
  "import 'a';": ['a'],
  "import a from 'a';": ['a'],
  'import * as a from "a";': ['a'],
  "import { from } from 'a';": ['a'],
  "import from from 'a';": ['a'],
  "import type { A } from 'a';": ['a'],
  "import {\n  // from 'x'\n  a,\n  type B as C,\n} from 'a';": ['a'],
  "import data from 'a' with { type: 'json' };": ['a'],
  "export * from 'a';": ['a'],
  "export * as b from 'a';": ['a'],
  "export { b } from 'a';": ['a'],
  "export type { B } from 'a';": ['a'],
  "const a = await import('a');": ['a'],
  'const a = await import(`a`);': ['a'],
  [`const a = await import(\`./\${name}.ts\`);`]: [undefined],
  "const a = await import('a' + name);": [undefined],
  "type A = import('a').A;": ['a'],
  [`const a = \`\${await import('a')} import 'b'\`;`]: ['a'],
  "const a = { b: `}` }; import 'a';": ['a'],
  "const a = /['\"`]/; import 'a';": ['a'],
  "const a = b / c; const d = 'e' / f; import 'a';": ['a'],
};
const others = [
  "// import 'a';",
  "/* import 'a'; */",
  'const a = "import \'a\'";',
  "const a = `import 'a'`;",
  "export const from = 'a';",
  "export { a };\nconst from = 'b';",
  'const here = import.meta.url;',
  "loader.import('a');",
  "export type A = 'from';",
];

await t.test('every form of import is seen', async (t) => {
  for (const [text, expected] of Object.entries(forms)) {
    t.same(
      importsOf(text).map(({ specifier }) => specifier),
      expected,
      text,
    );
  }
});

await t.test('what only looks like an import is none', async (t) => {
  for (const text of others) t.same(importsOf(text), [], text);
});

await t.test('an import carries the line it begins on', async (t) => {
  t.same(importsOf("/*\n*/ const a = `\n`;\nimport {\n  b,\n} from 'b';"), [{ line: 4, specifier: 'b' }]);
});

await t.test('text that cannot be cut into tokens is reported and not guessed at', async (t) => {
  t.equal(unreadableLine("const a = 1;\nconst b = 'c;\n"), 2);
  t.equal(unreadableLine(`const a = /\`/; const b = \`\${\`\${1}\`}\`;`), undefined);
});
