import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { compileChunk, runChunks } from './chunk.ts';

// `node training.cjs DIRECTORY [ARGUMENT]…`: runs the pieces in the directory as an executable would, and at its end
// writes down what V8 compiled, on top of what earlier runs left in the same files. Functions that never ran are not in them.
const [, name = '', directory = '', ...args] = process.argv;
const scripts = new Map<string, Script>();
process.on('exit', () => {
  for (const [piece, script] of scripts) writeFileSync(codeCache(piece), script.createCachedData());
});
process.argv = [process.execPath, name, ...args];
runChunks('main.js', (piece) => {
  const source = readFileSync(join(directory, piece), 'latin1');
  const script = compileChunk(piece, { source, codeCache: readFileSync(codeCache(piece)) });
  scripts.set(piece, script);
  return script;
});

function codeCache(chunk: string): string {
  return join(directory, `${chunk}.code-cache`);
}
