import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDirectory } from './project.ts';
import { makeRelease } from './release/make-release.ts';

// `npm run release -- [--signing-key FILE] [--code-caches DIRECTORY]`
try {
  const { values } = parseArgs({ options: { 'signing-key': { type: 'string' }, 'code-caches': { type: 'string' } } });
  const { 'signing-key': signingKey, 'code-caches': codeCaches } = values;
  await makeRelease({
    directory: join(projectDirectory, 'dist/release'),
    ...(signingKey !== undefined && { signingKey: resolve(signingKey) }),
    ...(codeCaches !== undefined && { codeCaches: resolve(codeCaches) }),
    log,
  });
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
}

function log(line: string): void {
  process.stderr.write(`release: ${line}\n`);
}
