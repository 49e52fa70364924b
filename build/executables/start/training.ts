import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { compileChunk, runChunks } from './chunk.ts';

// `node training.cjs DIRECTORY [ARGUMENT]…`: runs the chunks in the directory as an executable does, and at its end
// adds the functions that V8 compiled to the code caches of earlier runs. Functions that never ran are not included.
const [, name = '', directory = '', ...args] = process.argv;
const scripts = new Map<string, Script>();
process.on('exit', () => {
  for (const [chunk, script] of scripts) writeFileSync(codeCache(chunk), script.createCachedData());
});
process.argv = [process.execPath, name, ...args];
runChunks('main.js', (chunk) => {
  const source = readFileSync(join(directory, chunk), 'latin1');
  const script = compileChunk(chunk, { source, codeCache: readFileSync(codeCache(chunk)) });
  scripts.set(chunk, script);
  return script;
});

function codeCache(chunk: string): string {
  return join(directory, `${chunk}.code-cache`);
}
