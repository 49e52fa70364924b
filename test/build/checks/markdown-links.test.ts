import t from 'tap';
import { checkMarkdownLinks } from '../../../build/checks/markdown-links.ts';
import { formatFinding } from '../../../build/checks/finding.ts';

await t.test('links to files, folders and headings are found', (t) => {
  const text =
    '# A `page`: one\n\n[b](docs/b.md#two-words), [folder](docs/), [here](#a-page-one), [far](https://x.test/#y)';
  t.same(findings({ 'README.md': text, 'docs/b.md': '## Two words' }), []);
  t.end();
});

await t.test('the same heading twice has a number', (t) => {
  t.same(findings({ 'README.md': '# A\n# A\n[1](#a) [2](#a-1)' }), []);
  t.match(findings({ 'README.md': '# A\n[2](#a-1)' })[0], 'README.md:2: links to #a-1, which has no such heading');
  t.end();
});

await t.test('a file or a heading that does not exist is reported with its line', (t) => {
  const pages = { 'docs/guides/a.md': 'x\n[b](../b.md)\n[c](c.md#none)', 'docs/guides/c.md': '# Some' };
  t.match(findings(pages)[0], 'docs/guides/a.md:2: links to ../b.md, which does not exist');
  t.match(findings(pages)[1], 'docs/guides/a.md:3: links to c.md#none, which has no such heading');
  t.end();
});

await t.test('code is not a link, and a heading in code is none', (t) => {
  t.same(findings({ 'README.md': '```sh\n[a](none)\n# Title\n```\n`[b](none)`' }), []);
  t.match(findings({ 'README.md': '```sh\n# Title\n```\n[a](#title)' })[0], 'README.md:4: ');
  t.end();
});

await t.test('a picture needs an alternative text', (t) => {
  t.match(findings({ 'README.md': '![](a.svg)', 'a.svg': '' })[0], 'without an alternative text');
  t.same(findings({ 'README.md': '![A kubelet asks](a.svg)', 'a.svg': '' }), []);
  t.end();
});

await t.test('every page is reached from the index, by links or by a link to its folder', (t) => {
  const pages = { 'docs/a.md': '[b](b.md)', 'docs/b.md': '', 'docs/decisions/1.md': '', 'README.md': '[c](docs/c.md)' };
  t.same(findings({ ...pages, 'docs/README.md': '[a](a.md) [why](decisions)', 'docs/c.md': '' }), [
    'docs/c.md:1: cannot be reached from docs/README.md (markdown-links) — link to it from docs/README.md, or from a page that is linked there',
  ]);
  t.end();
});

function findings(files: Readonly<Record<string, string>>): readonly string[] {
  return checkMarkdownLinks(Object.entries(files).map(([path, text]) => ({ path, text }))).map(formatFinding);
}
