import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Architecture } from '../../../build/architecture.ts';

export interface ElfHeader {
  readonly machine: number;
  /** The loader that it asks for; absent: it needs none. */
  readonly interpreter?: string;
}

// Numbers and offsets: System V ABI, chapters "Object Files" and "Program Loading and Dynamic Linking".
export const machines: Readonly<Record<Architecture, number>> = { x64: 62, arm64: 183 };
const headerBytes = 64;
const interpreterType = 3;

/** Of a 64-bit little-endian ELF file. */
export async function readElfHeader(path: string): Promise<ElfHeader> {
  const file = await open(path);
  try {
    const elf = await readAt(file, 0, headerBytes);
    if (elf.toString('latin1', 0, 4) !== '\u007fELF') throw new Error(`${path} is not an ELF file`);
    const machine = elf.readUInt16LE(18);
    const [tableAt, sizeBytes, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(54), elf.readUInt16LE(56)];
    const table = await readAt(file, tableAt, sizeBytes * count);
    const programHeaders = Array.from({ length: count }, (_, index) => table.subarray(index * sizeBytes));
    const found = programHeaders.find((header) => header.readUInt32LE(0) === interpreterType);
    if (found === undefined) return { machine };
    const name = await readAt(file, Number(found.readBigUInt64LE(8)), Number(found.readBigUInt64LE(32)));
    return { machine, interpreter: name.toString('latin1').replace(/\0$/, '') };
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('cut off');
  return buffer;
}
