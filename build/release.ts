import { join, resolve } from 'node:path';
import { projectDirectory } from './project.ts';
import { makeRelease } from './release/make-release.ts';
import { readScriptOptions } from './script-options.ts';

const text = `Makes the files of a release in dist/release.

  --signing-key FILE       sign their checksums with this key
  --code-caches DIRECTORY  use the code caches of an earlier build of the same commit
`;

try {
  const { values } = readScriptOptions(
    { command: 'npm run release', text },
    { options: { 'signing-key': { type: 'string' }, 'code-caches': { type: 'string' } } },
  );
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
