import { fileURLToPath } from 'node:url';
import { findSet, prepareSet } from '../../../build/go-programs/program-set.ts';
import type { FoundSet, ProgramSet } from '../../../build/go-programs/program-set.ts';

const actionlint: ProgramSet<'actionlint'> = {
  title: 'actionlint, which checks GitHub workflows,',
  names: ['actionlint'],
  modules: [
    {
      name: 'actionlint',
      version: '1.7.7',
      acceptedVersion: /^1\.7\.\d+/,
      directory: fileURLToPath(new URL('module', import.meta.url)),
      linkerFlags: '-s -w',
      packages: { actionlint: 'github.com/rhysd/actionlint/cmd/actionlint' },
      versionArguments: { actionlint: ['-version'] },
    },
  ],
};

/** If it is here already. */
export function findActionlint(): Promise<FoundSet<'actionlint'>> {
  return findSet(actionlint);
}

/** Built if it is missing, which takes some seconds, once. */
export function prepareActionlint(log: (line: string) => void): Promise<FoundSet<'actionlint'>> {
  return prepareSet(actionlint, log);
}
