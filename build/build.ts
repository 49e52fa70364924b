import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Architecture } from './architecture.ts';
import { architectures } from './architecture.ts';
import { buildAll } from './build-all.ts';

try {
  const { values } = parseArgs({
    options: { arch: { type: 'string' }, images: { type: 'boolean' }, 'code-caches': { type: 'string' } },
  });
  const codeCaches = values['code-caches'];
  await buildAll({
    architectures: chosenArchitectures(values.arch),
    withImages: values.images === true,
    ...(codeCaches !== undefined && { codeCaches: resolve(codeCaches) }),
    log,
  });
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
}

function chosenArchitectures(named: string | undefined): readonly Architecture[] {
  if (named === undefined) return architectures;
  const chosen = architectures.filter((arch) => arch === named);
  if (chosen.length === 0) throw new Error(`--arch ${named}: ${architectures.join(' or ')} can be built`);
  return chosen;
}

function log(line: string): void {
  process.stderr.write(`build: ${line}\n`);
}
