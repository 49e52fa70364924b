/** A part of an ELF file that is loaded into memory. */
export interface Segment {
  /** The offset of its program header. */
  readonly headerAt: number;
  readonly isExecutable: boolean;
  readonly fileOffset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
}

/** Unused bytes after the content of an executable segment. */
export interface SegmentPadding {
  readonly segment: Segment;
  readonly fileOffset: number;
  readonly address: number;
  readonly bytes: number;
}

// Numbers and offsets below: System V ABI, chapters "Object Files" and "Program Loading and Dynamic Linking".
const loaded = 1;
const executable = 1;
/** Memory protection applies to whole pages, and none of our architectures has larger pages. */
const largestPageBytes = 65_536;
const alignmentBytes = 16;

export function entryPoint(elf: Buffer): number {
  return Number(elf.readBigUInt64LE(24));
}

/** Finds the unused bytes after the segment that contains the entry point. */
export function findPadding(elf: Buffer): SegmentPadding {
  const segments = segmentsOf(elf);
  const entry = entryPoint(elf);
  const segment = segments.find((each) => each.address <= entry && entry < each.address + each.fileBytes);
  if (segment?.isExecutable !== true || segment.fileBytes !== segment.memoryBytes) {
    throw new Error('the entry point is in no suitable segment');
  }
  const end = segment.fileOffset + segment.fileBytes;
  const fileOffset = Math.ceil(end / alignmentBytes) * alignmentBytes;
  const nexts = segments.filter((each) => each.fileOffset > segment.fileOffset);
  const nextPage = Math.ceil((segment.address + segment.fileBytes) / largestPageBytes) * largestPageBytes;
  const limits = [...nexts.map((each) => each.fileOffset), segment.fileOffset + nextPage - segment.address];
  return {
    segment,
    fileOffset,
    address: segment.address + fileOffset - segment.fileOffset,
    bytes: Math.min(...limits) - fileOffset,
  };
}

/** The content of a file with one segment, and its entry point. */
export interface Code {
  readonly bytes: Buffer;
  readonly address: number;
  readonly entry: number;
}

export function readSingleSegment(elf: Buffer): Code {
  const [segment, ...others] = segmentsOf(elf);
  if (segment === undefined || others.length > 0) throw new Error('not one segment');
  const { fileOffset, fileBytes, memoryBytes, address } = segment;
  if (fileBytes !== memoryBytes) throw new Error('it needs memory that is not in the file');
  return { bytes: elf.subarray(fileOffset, fileOffset + fileBytes), address, entry: entryPoint(elf) };
}

/** Changes the file: copies the code into the unused bytes and makes it the entry point. */
export function addToSegment(elf: Buffer, { segment, fileOffset, address, bytes }: SegmentPadding, code: Code): void {
  const target = elf.subarray(fileOffset, fileOffset + code.bytes.length);
  if (code.address !== address || code.bytes.length > bytes) throw new Error('the code does not fit');
  if (target.some((byte) => byte !== 0)) throw new Error('the bytes after the segment are in use');
  code.bytes.copy(target);
  const size = BigInt(fileOffset + code.bytes.length - segment.fileOffset);
  elf.writeBigUInt64LE(size, segment.headerAt + 32);
  elf.writeBigUInt64LE(size, segment.headerAt + 40);
  elf.writeBigUInt64LE(BigInt(code.entry), 24);
}

function segmentsOf(elf: Buffer): readonly Segment[] {
  const [first, headerBytes, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(54), elf.readUInt16LE(56)];
  const headers = Array.from({ length: count }, (_, index) => first + index * headerBytes);
  return headers.filter((at) => elf.readUInt32LE(at) === loaded).map((at) => readSegment(elf, at));
}

function readSegment(elf: Buffer, headerAt: number): Segment {
  const field = (offset: number): number => Number(elf.readBigUInt64LE(headerAt + offset));
  const isExecutable = (elf.readUInt32LE(headerAt + 4) & executable) !== 0;
  const [fileOffset, address, fileBytes, memoryBytes] = [field(8), field(16), field(32), field(40)];
  return { headerAt, isExecutable, fileOffset, address, fileBytes, memoryBytes };
}
