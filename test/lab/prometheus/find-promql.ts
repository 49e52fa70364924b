import { fileURLToPath } from 'node:url';
import { findSet, prepareSet } from '../../../build/go-programs/program-set.ts';
import type { FoundSet, ProgramSet } from '../../../build/go-programs/program-set.ts';

/** Prometheus 3.13: its engine, storage and parsers, in a program of ours. The whole of promtool takes longer to build. */
const promql: ProgramSet<'promql'> = {
  title: 'the engine of Prometheus',
  names: ['promql'],
  modules: [
    {
      name: 'promql',
      version: '0.313.5',
      acceptedVersion: /^0\.313\.5$/,
      directory: fileURLToPath(new URL('module', import.meta.url)),
      linkerFlags: '-s -w',
      packages: { promql: 'polycloud.dev/lab/promql' },
      versionArguments: {},
    },
  ],
};

/** If it is here already. */
export function findPromql(): Promise<FoundSet<'promql'>> {
  return findSet(promql);
}

/** Built if it is missing, which takes about one and a half minutes, once. */
export function preparePromql(log: (line: string) => void): Promise<FoundSet<'promql'>> {
  return prepareSet(promql, log);
}
