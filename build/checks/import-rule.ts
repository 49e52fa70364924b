import { posix } from 'node:path';
import type { StructureFinding } from './finding.ts';
import { importsOf, unreadableLine } from './imports.ts';
import type { Import } from './imports.ts';
import type { SourceFile } from './source-tree.ts';

type Zone = 'schemas' | 'lib' | 'cloud interface' | 'cloud list' | 'cloud' | 'program' | 'workshop';

interface ImportLocation {
  readonly zone: Zone;
  /** What nobody else of the same zone may look into. */
  readonly folder: string;
}

/** The import rule. A file may always import from its own folder. */
const mayImport: Readonly<Record<Zone, readonly Zone[]>> = {
  schemas: [],
  lib: ['schemas', 'cloud interface'],
  'cloud interface': ['schemas', 'lib'],
  'cloud list': ['schemas', 'lib', 'cloud interface', 'cloud'],
  cloud: ['schemas', 'lib', 'cloud interface'],
  program: ['schemas', 'lib', 'cloud list'],
  workshop: ['schemas', 'lib', 'cloud interface', 'cloud list', 'cloud', 'program', 'workshop'],
};
const topFolders: Readonly<Record<string, Zone>> = {
  schemas: 'schemas',
  lib: 'lib',
  'credential-provider': 'program',
  'node-agent': 'program',
  ccm: 'program',
  build: 'workshop',
  bench: 'workshop',
  test: 'workshop',
};
const isCode = /\.(?:ts|mts|mjs|js)$/;
const isZod = /^zod(?:\/|$)/;

export function checkImports(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.filter((file) => isCode.test(file.path)).flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): readonly StructureFinding[] {
  const location = locationOf(path);
  if (location === undefined) return [violation(path, 1, unknownFolder)];
  const unreadable = unreadableLine(text);
  if (unreadable !== undefined) return [violation(path, unreadable, unreadableCode)];
  return importsOf(text).flatMap((each) => {
    const against = checkImport(path, location, each);
    return against === undefined ? [] : [violation(path, each.line, against)];
  });
}

interface ImportViolation {
  readonly what: string;
  readonly remedy: string;
}

const unknownFolder: ImportViolation = {
  what: 'code outside the known folders',
  remedy: 'move it to the folder of the program, cloud or shared part it belongs to',
};
const unreadableCode: ImportViolation = {
  what: 'a quote seems never to be closed, so the imports cannot be read',
  remedy: 'close it, or give the regular expression before it a name of its own',
};

function violation(path: string, line: number, against: ImportViolation): StructureFinding {
  return { path, line, rule: 'import-rule', ...against };
}

function checkImport(path: string, from: ImportLocation, { specifier }: Import): ImportViolation | undefined {
  if (from.zone === 'workshop') return undefined;
  if (specifier === undefined) {
    return { what: 'imports something that is only known at run time', remedy: 'write the path as a literal' };
  }
  if (/^(?:\/|file:|data:)/.test(specifier)) {
    return { what: `imports ${specifier} from outside the repository`, remedy: 'use a relative path or a package' };
  }
  return /^\.\.?(?:\/|$)/.test(specifier)
    ? checkFileImport(path, from, specifier)
    : checkPackageImport(from, specifier);
}

function checkFileImport(path: string, from: ImportLocation, specifier: string): ImportViolation | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  const to = locationOf(target);
  if (to !== undefined && (to.folder === from.folder || mayImport[from.zone].includes(to.zone))) return undefined;
  return { what: `${from.folder} imports ${target}`, remedy: remedies[from.zone] };
}

function checkPackageImport(from: ImportLocation, specifier: string): ImportViolation | undefined {
  if (from.zone !== 'schemas' || isZod.test(specifier)) return undefined;
  return { what: `schemas imports ${specifier}`, remedy: remedies.schemas };
}

const remedies: Readonly<Record<Zone, string>> = {
  schemas: 'schemas/ imports zod and its own files only; move what needs more to its user',
  lib: 'lib/ imports schemas/, clouds/cloud.ts and packages only; let the caller hand it in',
  'cloud interface': 'clouds/cloud.ts imports schemas/ and lib/ only',
  'cloud list': 'clouds/index.ts imports the clouds, schemas/ and lib/ only',
  cloud: 'a cloud imports clouds/cloud.ts, schemas/, lib/ and its own folder only; move what two clouds need to lib/',
  program: 'a program imports schemas/, lib/ and clouds/index.ts only; move what two programs need to lib/',
  workshop: '',
};

function locationOf(path: string): ImportLocation | undefined {
  const [top = '', second = '', third] = path.split('/');
  if (top === 'clouds') return locationInClouds(second, third !== undefined);
  const zone = second === '' ? undefined : topFolders[top];
  return zone === undefined ? undefined : { zone, folder: top };
}

function locationInClouds(name: string, isFolder: boolean): ImportLocation | undefined {
  if (isFolder) return { zone: 'cloud', folder: `clouds/${name}` };
  if (name === 'cloud.ts') return { zone: 'cloud interface', folder: 'clouds/cloud.ts' };
  return name === 'index.ts' ? { zone: 'cloud list', folder: 'clouds/index.ts' } : undefined;
}
