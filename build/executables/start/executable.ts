import { cleanStart } from './clean-start.ts';
import { compileChunk, runChunks } from './chunk.ts';

// Node's own way into an executable: fetch the pieces and what V8 remembers of them from the file itself, and start.
cleanStart();
const { getRawAsset } = process.getBuiltinModule('node:sea');
runChunks('main.js', (name) => {
  const source = Buffer.from(getRawAsset(name)).toString('latin1');
  return compileChunk(name, { source, codeCache: Buffer.from(getRawAsset(`${name}.code-cache`)) });
});
