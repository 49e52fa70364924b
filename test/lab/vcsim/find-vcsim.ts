import { fileURLToPath } from 'node:url';
import { findSet, prepareSet } from '../../../build/go-programs/program-set.ts';
import type { FoundSet, ProgramSet } from '../../../build/go-programs/program-set.ts';

/** govmomi's simulator of a vCenter. Its own command is in a module that the Go module proxy does not have. */
const vcsim: ProgramSet<'vcsim'> = {
  title: 'the vCenter simulator of govmomi',
  names: ['vcsim'],
  modules: [
    {
      name: 'vcsim',
      version: '0.56.0',
      acceptedVersion: /^0\.56\.0$/,
      directory: fileURLToPath(new URL('module', import.meta.url)),
      linkerFlags: '-s -w',
      packages: { vcsim: 'polycloud.dev/lab/vcsim' },
      versionArguments: {},
    },
  ],
};

/** If it is here already. */
export function findVcsim(): Promise<FoundSet<'vcsim'>> {
  return findSet(vcsim);
}

/** Built if it is missing, which takes about one and a half minutes, once. */
export function prepareVcsim(log: (line: string) => void): Promise<FoundSet<'vcsim'>> {
  return prepareSet(vcsim, log);
}
