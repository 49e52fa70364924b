import { resolve } from 'node:path';
import type { Architecture } from './architecture.ts';
import { architectures } from './architecture.ts';
import { buildAll } from './build-all.ts';
import { missingPackages } from './executables/missing-packages.ts';
import { readScriptOptions } from './script-options.ts';

const text = `Builds the programs in dist/linux-ARCH, without --arch for both architectures.

  --arch ARCH              only this architecture
  --images                 also an OCI archive of each program, in dist/images
  --code-caches DIRECTORY  use the code caches of an earlier build of the same commit
`;

try {
  const { values } = readScriptOptions(
    { command: 'npm run build', text },
    { options: { arch: { type: 'string' }, images: { type: 'boolean' }, 'code-caches': { type: 'string' } } },
  );
  await build(values.arch, values.images === true, values['code-caches']);
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
}

async function build(arch: string | undefined, withImages: boolean, codeCaches: string | undefined): Promise<void> {
  const chosen = chosenArchitectures(arch);
  if (withImages) refuseIncompleteTools(chosen);
  await buildAll({
    architectures: chosen,
    withImages,
    ...(codeCaches !== undefined && { codeCaches: resolve(codeCaches) }),
    log,
  });
}

/** Images go to other machines, where nobody sees what this build said about its executables. */
function refuseIncompleteTools(chosen: readonly Architecture[]): void {
  const missing = missingPackages(chosen);
  if (missing.length === 0) return;
  throw new Error(
    `images for ${chosen.join(' and ')} need packages that are missing; ` +
      `hint: apt-get install ${missing.join(' ')} (Debian), or build one architecture with --arch`,
  );
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
