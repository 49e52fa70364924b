import { findSet, prepareSet } from '../../../build/go-programs/program-set.ts';
import type { FoundSet, ProgramSet } from '../../../build/go-programs/program-set.ts';
import { programModules, programNames } from './programs.ts';
import type { ProgramName } from './programs.ts';

/** The programs of a control plane, or what it would take to have them. */
export type FoundPrograms = FoundSet<ProgramName>;

const controlPlane: ProgramSet<ProgramName> = {
  title: 'the control plane',
  names: programNames,
  modules: programModules,
};

/** Those of KUBEBUILDER_ASSETS that have the right version, else those that were built before. Builds nothing. */
export function findPrograms(): Promise<FoundPrograms> {
  return findSet(controlPlane);
}

/** The same, and what is missing is built if Go is here, which takes minutes, once. Says what it does all the while. */
export function preparePrograms(log: (line: string) => void): Promise<FoundPrograms> {
  return prepareSet(controlPlane, log);
}
