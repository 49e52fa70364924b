import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { format } from 'prettier';
import { clouds } from '../../clouds/index.ts';
import { pictures } from '../docs/pictures.ts';
import { projectDirectory } from '../project.ts';
import { readScriptOptions } from '../script-options.ts';
import { generatedSources } from './sources.ts';

// Writes everything that is generated. With `--check` it reports what is not up to date. The sources come first: the rest
// is made from modules that import them.
const usage = {
  command: 'npm run generate',
  text: `Writes everything that is generated.

  --check  only report what is not up to date
`,
};
const { values } = readScriptOptions(usage, { options: { check: { type: 'boolean' } } });
const check = values.check === true;
for (const [path, text] of Object.entries(generatedSources(clouds))) await update(path, text);
const { edits } = await import('./edits.ts');
for (const [path, edit] of Object.entries(edits)) {
  await update(path, edit(await readFile(join(projectDirectory, path), 'utf8'), clouds));
}
const { documents } = await import('../docs/documents.ts');
for (const [path, text] of Object.entries(documents(clouds))) await update(path, text);
for (const [path, text] of Object.entries(await pictures())) await update(path, text);

async function update(path: string, unformatted: string): Promise<void> {
  const file = join(projectDirectory, path);
  const text = await formatted(path, unformatted);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  if (check) {
    process.stderr.write(`${path}: is not up to date; run npm run generate\n`);
    process.exitCode = 1;
    return;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function formatted(path: string, text: string): Promise<string> | string {
  const parser = { '.json': 'json', '.md': 'markdown', '.ts': 'typescript' }[extname(path)];
  if (parser === undefined) return text;
  const proseWrap = /^docs\/reference\/|^charts\//.test(path) ? 'always' : 'preserve';
  return format(text, { parser, printWidth: 120, singleQuote: parser !== 'json', proseWrap });
}
