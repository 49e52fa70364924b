import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** What an executable needs from the system. */
export interface DynamicDependencies {
  /** Names of shared libraries, sorted. */
  readonly libraries: readonly string[];
  /** Required symbol versions, such as `GLIBC_2.28`, sorted by name. */
  readonly symbolVersions: readonly string[];
}

/** Reads a 64-bit little-endian ELF file, the format of both our architectures. */
export async function readDynamicDependencies(path: string): Promise<DynamicDependencies> {
  const file = await open(path);
  try {
    const sections = await readSections(file);
    const strings = await readSection(file, findSection(sections, sectionTypes.strings, 'dynamic strings'));
    const dynamic = await readSection(file, findSection(sections, sectionTypes.dynamic, 'dynamic section'));
    const needs = sections.find((section) => section.type === sectionTypes.versionNeeds);
    const versions = needs === undefined ? [] : versionNames(await readSection(file, needs), strings);
    return {
      libraries: neededLibraries(dynamic, strings).toSorted(),
      symbolVersions: [...new Set(versions)].toSorted(),
    };
  } finally {
    await file.close();
  }
}

/** The highest of versions such as `GLIBC_2.9` and `GLIBC_2.28`; `undefined` if none has this name. */
export function highestVersion(symbolVersions: readonly string[], name: string): string | undefined {
  const versions = symbolVersions.filter((version) => version.startsWith(`${name}_`));
  return versions
    .map((version) => version.slice(name.length + 1))
    .toSorted(byNumber.compare)
    .at(-1);
}

const byNumber = new Intl.Collator('en', { numeric: true });

interface Section {
  readonly type: number;
  readonly address: number;
  readonly offset: number;
  readonly sizeBytes: number;
}

// Numbers and offsets below: System V ABI, chapters "Object Files" and "Program Loading and Dynamic Linking", and for
// the versions https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/symversion.html
const sectionTypes = { strings: 3, dynamic: 6, versionNeeds: 0x6ffffffe } as const;
const headerBytes = 64;
const dynamicEntryBytes = 16;
const tagNeeded = 1n;

async function readSections(file: FileHandle): Promise<readonly Section[]> {
  const header = await readBytes(file, 0, headerBytes);
  if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) throw new Error('not a 64-bit ELF');
  const tableAt = Number(header.readBigUInt64LE(40));
  const entryBytes = header.readUInt16LE(58);
  const count = header.readUInt16LE(60);
  const table = await readBytes(file, tableAt, entryBytes * count);
  return Array.from({ length: count }, (_, index) => readSectionEntry(table.subarray(index * entryBytes)));
}

function readSectionEntry(entry: Buffer): Section {
  return {
    type: entry.readUInt32LE(4),
    address: Number(entry.readBigUInt64LE(16)),
    offset: Number(entry.readBigUInt64LE(24)),
    sizeBytes: Number(entry.readBigUInt64LE(32)),
  };
}

/** String tables that are not loaded are for linkers and debuggers. */
function findSection(sections: readonly Section[], type: number, name: string): Section {
  const found = sections.find((section) => section.type === type && section.address !== 0);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

function readSection(file: FileHandle, section: Section): Promise<Buffer> {
  return readBytes(file, section.offset, section.sizeBytes);
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('cut off');
  return buffer;
}

function neededLibraries(dynamic: Buffer, strings: Buffer): readonly string[] {
  const entries = Array.from({ length: dynamic.length / dynamicEntryBytes }, (_, index) => index * dynamicEntryBytes);
  const needed = entries.filter((at) => dynamic.readBigUInt64LE(at) === tagNeeded);
  return needed.map((at) => stringAt(strings, Number(dynamic.readBigUInt64LE(at + 8))));
}

/** A linked list of libraries, each with a linked list of versions. Links are relative offsets; 0 ends a list. */
function versionNames(needs: Buffer, strings: Buffer): readonly string[] {
  return followChain(0, (at) => needs.readUInt32LE(at + 12)).flatMap((library) =>
    followChain(library + needs.readUInt32LE(library + 8), (at) => needs.readUInt32LE(at + 12)).map((version) =>
      stringAt(strings, needs.readUInt32LE(version + 8)),
    ),
  );
}

function followChain(first: number, distance: (at: number) => number): readonly number[] {
  const offsets = [first];
  for (let at = first; distance(at) !== 0;) offsets.push((at += distance(at)));
  return offsets;
}

function stringAt(strings: Buffer, offset: number): string {
  return strings.toString('latin1', offset, strings.indexOf(0, offset));
}
