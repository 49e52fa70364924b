import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../../../build/cache-directory.ts';
import type { Support } from '../needing.ts';
import { buildPrograms } from './build-programs.ts';
import { findGo } from './go.ts';
import { objectionToVersion } from './program-version.ts';
import { moduleOf, programModules, programNames } from './programs.ts';
import type { ProgramModule, ProgramName, Programs } from './programs.ts';

/** The programs of a control plane, or what it would take to have them. */
export type FoundPrograms = Support & { readonly programs: Programs };

/** Those of KUBEBUILDER_ASSETS that have the right version, else those that were built before. Builds nothing. */
export async function findPrograms(): Promise<FoundPrograms> {
  const { programs, missing, remarks } = await search();
  if (missing.length === 0) return { available: true, programs };
  const go = await findGo();
  const remedy = go.available ? '`npm test` builds them once' : whatItTakes(go.reason);
  return { available: false, programs, reason: [...remarks, `${missing.join(', ')} missing: ${remedy}`].join('; ') };
}

/** The same, and what is missing is built if Go is here, which takes minutes, once. Says what it does all the while. */
export async function preparePrograms(say: (line: string) => void): Promise<FoundPrograms> {
  const { programs, missing, remarks } = await search();
  for (const remark of remarks) say(remark);
  if (missing.length === 0) return { available: true, programs };
  const go = await findGo();
  if (!go.available) return { available: false, programs, reason: whatItTakes(go.reason) };
  try {
    for (const module of programModules) await buildMissing(module, missing, go.file, say);
    return { available: true, programs };
  } catch (error) {
    return { available: false, programs, reason: `the control plane could not be built: ${(error as Error).message}` };
  }
}

interface Search {
  /** Where each is or, if it is missing, will be once it is built. */
  readonly programs: Programs;
  readonly missing: readonly ProgramName[];
  /** What was found in KUBEBUILDER_ASSETS. */
  readonly remarks: readonly string[];
}

async function search(): Promise<Search> {
  const remarks: string[] = [];
  const places = programNames.map(async (name) => [name, await place(name, remarks)] as const);
  const programs = Object.fromEntries(await Promise.all(places)) as Programs;
  return { programs, missing: programNames.filter((name) => !existsSync(programs[name])), remarks };
}

async function place(name: ProgramName, remarks: string[]): Promise<string> {
  const built = join(placeOfBuilt(moduleOf(name)), name);
  const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
  const given = join(assets, name);
  if (assets === '' || !existsSync(given)) return built;
  const objection = await objectionToVersion(name, given);
  remarks.push(objection === undefined ? `${name}: ${given}` : `not used: ${objection}`);
  return objection === undefined ? given : built;
}

function placeOfBuilt({ name, version }: ProgramModule): string {
  return cacheDirectory(`${name}-${version}`, `linux-${process.arch}`);
}

async function buildMissing(
  module: ProgramModule,
  missing: readonly ProgramName[],
  go: string,
  say: (line: string) => void,
): Promise<void> {
  const names = missing.filter((name) => module.packages[name] !== undefined);
  if (names.length === 0) return;
  await buildPrograms(module, names, { go, directory: placeOfBuilt(module), progressEveryMs, say });
}

const progressEveryMs = 10_000;

function whatItTakes(whatIsWrongWithGo: string): string {
  const versions = programModules.map(({ name, version }) => `${name} ${version}`).join(' and ');
  const assets = `a directory with ${programNames.join(', ')} in KUBEBUILDER_ASSETS`;
  return `the control plane takes Go 1.24 or later to build ${versions} once (${whatIsWrongWithGo}), or ${assets}`;
}
