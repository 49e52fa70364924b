import { cleanStart } from './clean-start.ts';
import { compileChunk, runChunks } from './chunk.ts';

// The script that Node runs in an executable: it reads the chunks and their code caches from the file, and starts.
cleanStart();
const { getRawAsset } = process.getBuiltinModule('node:sea');
runChunks('main.js', (name) => {
  const source = Buffer.from(getRawAsset(name)).toString('latin1');
  return compileChunk(name, { source, codeCache: Buffer.from(getRawAsset(`${name}.code-cache`)) });
});
