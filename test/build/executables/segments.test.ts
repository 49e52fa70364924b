import t from 'tap';
import { addToSegment, entryPoint, findPadding, readSingleSegment } from '../../../build/executables/segments.ts';

interface Part {
  readonly flags: number;
  readonly fileOffset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes?: number;
}

const rights = { read: 4, execute: 5, write: 6 };
const headersAt = 64;
const headerBytes = 56;
const entry = 0x40_1010;

function elf(parts: readonly Part[], start = entry): Buffer {
  const file = Buffer.alloc(0x4000);
  file.writeBigUInt64LE(BigInt(start), 24);
  file.writeBigUInt64LE(BigInt(headersAt), 32);
  file.writeUInt16LE(headerBytes, 54);
  file.writeUInt16LE(parts.length + 1, 56);
  for (const [index, part] of parts.entries()) {
    // The first header describes something that is not loaded.
    const at = headersAt + headerBytes * (index + 1);
    file.writeUInt32LE(1, at);
    file.writeUInt32LE(part.flags, at + 4);
    const { fileOffset, address, fileBytes, memoryBytes = fileBytes } = part;
    for (const [place, value] of [
      [8, fileOffset],
      [16, address],
      [32, fileBytes],
      [40, memoryBytes],
    ] as const) {
      file.writeBigUInt64LE(BigInt(value), at + place);
    }
  }
  return file;
}

const text: Part = { flags: rights.execute, fileOffset: 0x1000, address: 0x40_1000, fileBytes: 0x123 };
const data: Part = { flags: rights.write, fileOffset: 0x2000, address: 0x41_0000, fileBytes: 0x100 };
const code = { bytes: Buffer.from([1, 2, 3]), address: 0x40_1130, entry: 0x40_1131 };

await t.test('the unused bytes are between the segment of the entry point and the next one', (t) => {
  t.match(findPadding(elf([text, data])), { fileOffset: 0x1130, address: 0x40_1130, bytes: 0x2000 - 0x1130 });
  t.end();
});

await t.test('and no further than the page with the same rights', (t) => {
  const end = { ...text, address: 0x40_f000 };
  t.match(findPadding(elf([end, { ...data, fileOffset: 0x3000 }], 0x40_f000)), { bytes: 0x1000 - 0x130 });
  t.end();
});

await t.test('code is put there, and is run first', (t) => {
  const file = elf([text, data]);
  addToSegment(file, findPadding(file), code);
  t.equal(entryPoint(file), code.entry);
  t.strictSame([...file.subarray(0x112f, 0x1134)], [0, 1, 2, 3, 0]);
  const next = findPadding(file);
  t.match(next, { segment: { fileBytes: 0x133, memoryBytes: 0x133 }, fileOffset: 0x1140 }, 'and it is loaded');
  t.end();
});

const refused: Readonly<Record<string, () => unknown>> = {
  'a start in no segment': () => findPadding(elf([data])),
  'a start that may not be run': () => findPadding(elf([{ ...text, flags: rights.read }])),
  'a segment with memory behind its bytes': () => findPadding(elf([{ ...text, memoryBytes: 0x200 }])),
  'code for another address': () => add(elf([text, data]), { ...code, address: 0x40_1140 }),
  'more code than unused bytes': () => add(elf([text, data]), { ...code, bytes: Buffer.alloc(0x1000) }),
  'bytes that are in use': () => add(elf([text, data]).fill(7, 0x1131, 0x1132), code),
  'code in several segments': () => readSingleSegment(elf([text, data])),
  'code that needs more memory': () => readSingleSegment(elf([{ ...text, memoryBytes: 0x200 }])),
};
for (const [name, attempt] of Object.entries(refused)) {
  await t.test(`refused: ${name}`, (t) => {
    t.throws(attempt);
    t.end();
  });
}

await t.test('code comes with its address', (t) => {
  const file = elf([{ ...text, fileBytes: 3 }]);
  file.set([7, 8, 9], 0x1000);
  t.strictSame(readSingleSegment(file), { bytes: Buffer.from([7, 8, 9]), address: 0x40_1000, entry });
  t.end();
});

function add(file: Buffer, what: typeof code): void {
  addToSegment(file, findPadding(file), what);
}
