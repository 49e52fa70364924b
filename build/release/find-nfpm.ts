import { fileURLToPath } from 'node:url';
import { prepareSet } from '../go-programs/program-set.ts';
import type { ProgramSet } from '../go-programs/program-set.ts';

// Later versions need modules that cannot be fetched everywhere.
const version = '2.44.1';

const nfpm: ProgramSet<'nfpm'> = {
  title: 'nfpm, which makes deb and rpm packages,',
  names: ['nfpm'],
  modules: [
    {
      name: 'nfpm',
      version,
      acceptedVersion: /^v?2\.\d+\.\d+/,
      directory: fileURLToPath(new URL('nfpm', import.meta.url)),
      linkerFlags: `-s -w -X main.version=${version}`,
      packages: { nfpm: 'github.com/goreleaser/nfpm/v2/cmd/nfpm' },
      versionArguments: {},
    },
  ],
};

/** nfpm; built with Go if it is missing, which takes half a minute, once. */
export async function prepareNfpm(log: (line: string) => void): Promise<string> {
  const found = await prepareSet(nfpm, log);
  if (!found.available) throw new Error(found.reason);
  return found.programs.nfpm;
}
