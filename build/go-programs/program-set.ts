import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '../cache-directory.ts';
import { buildPrograms } from './build-programs.ts';
import { findGo } from './find-go.ts';
import { versionProblem } from './program-version.ts';
import type { GoModule } from './go-module.ts';

/** Programs that a part of the lab needs together. */
export interface ProgramSet<Name extends string> {
  /** Of the whole, as a reader knows it. */
  readonly title: string;
  readonly names: readonly Name[];
  /** Between them they build every one of the names. */
  readonly modules: readonly GoModule[];
}

/** The programs of a set, or what it would take to have them. */
export type FoundSet<Name extends string> = { readonly programs: Readonly<Record<Name, string>> } & (
  { readonly available: true } | { readonly available: false; readonly reason: string }
);

/** Those of KUBEBUILDER_ASSETS that have the right version, else those that were built before. Builds nothing. */
export async function findSet<Name extends string>(set: ProgramSet<Name>): Promise<FoundSet<Name>> {
  const { programs, missing, remarks } = await search(set);
  if (missing.length === 0) return { available: true, programs };
  const go = await findGo();
  const remedy = go.available ? '`npm test` builds them once' : requirements(set, go.reason);
  return { available: false, programs, reason: [...remarks, `${missing.join(', ')} missing: ${remedy}`].join('; ') };
}

/** The same, and what is missing is built if Go is here, which takes minutes, once. Says what it does all the while. */
export async function prepareSet<Name extends string>(
  set: ProgramSet<Name>,
  log: (line: string) => void,
): Promise<FoundSet<Name>> {
  const { programs, missing, remarks } = await search(set);
  for (const remark of remarks) log(remark);
  if (missing.length === 0) return { available: true, programs };
  const go = await findGo();
  if (!go.available) return { available: false, programs, reason: requirements(set, go.reason) };
  try {
    for (const module of set.modules) await buildMissing(module, missing, go.file, log);
    return { available: true, programs };
  } catch (error) {
    return { available: false, programs, reason: `${set.title} could not be built: ${(error as Error).message}` };
  }
}

interface Search<Name extends string> {
  /** Where each is or, if it is missing, will be once it is built. */
  readonly programs: Readonly<Record<Name, string>>;
  readonly missing: readonly Name[];
  /** What was found in KUBEBUILDER_ASSETS. */
  readonly remarks: readonly string[];
}

async function search<Name extends string>({ names, modules }: ProgramSet<Name>): Promise<Search<Name>> {
  const remarks: string[] = [];
  const entries = names.map(async (name) => [name, await locateProgram(name, modules, remarks)] as const);
  const programs = Object.fromEntries(await Promise.all(entries)) as Record<Name, string>;
  return { programs, missing: names.filter((name) => !existsSync(programs[name])), remarks };
}

async function locateProgram(name: string, modules: readonly GoModule[], remarks: string[]): Promise<string> {
  const module = moduleWith(name, modules);
  const built = join(buildDirectory(module), name);
  const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
  const given = join(assets, name);
  if (assets === '' || !existsSync(given)) return built;
  const objection = await versionProblem({ module, name }, given);
  remarks.push(objection === undefined ? `${name}: ${given}` : `not used: ${objection}`);
  return objection === undefined ? given : built;
}

function moduleWith(name: string, modules: readonly GoModule[]): GoModule {
  const module = modules.find(({ packages }) => packages[name] !== undefined);
  if (module === undefined) throw new Error(`No module here builds ${name}`);
  return module;
}

function buildDirectory({ name, version }: GoModule): string {
  return cacheDirectory(`${name}-${version}`, `linux-${process.arch}`);
}

async function buildMissing(
  module: GoModule,
  missing: readonly string[],
  go: string,
  log: (line: string) => void,
): Promise<void> {
  const names = missing.filter((name) => module.packages[name] !== undefined);
  if (names.length === 0) return;
  await buildPrograms(module, names, { go, directory: buildDirectory(module), progressEveryMs, say: log });
}

const progressEveryMs = 10_000;

function requirements({ title, names, modules }: ProgramSet<string>, whatIsWrongWithGo: string): string {
  const versions = modules.map(({ name, version }) => `${name} ${version}`).join(' and ');
  const assets = `a directory with ${names.join(', ')} in KUBEBUILDER_ASSETS`;
  return `${title} takes Go 1.24 or later to build ${versions} once (${whatIsWrongWithGo}), or ${assets}`;
}
