/**
 * The messages of D-Bus, as far as calls of systemd need them: a call's arguments are texts, booleans and lists of texts;
 * a response may have any type. https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol
 */
export interface MethodCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly args?: readonly CallArgument[];
}

type CallArgument = string | boolean | readonly string[];

/** A structure is a list of its fields, a dictionary a list of its pairs, and a variant its value. */
export type DbusValue = string | number | bigint | boolean | readonly DbusValue[];

export interface DbusMessage {
  readonly kind: 'response' | 'error' | 'signal' | 'other';
  /** The serial number of the call that it answers; 0: it answers none. */
  readonly replyTo: number;
  readonly member: string;
  readonly errorName: string;
  readonly body: readonly DbusValue[];
}

/** Codes of the fields in a header. */
const field = { path: 1, interface: 2, member: 3, errorName: 4, replySerial: 5, destination: 6, signature: 8 } as const;
const kinds = new Map<number, DbusMessage['kind']>([
  [2, 'response'],
  [3, 'error'],
  [4, 'signal'],
]);

export function encodeCall(call: MethodCall, serial: number): Buffer {
  const { args = [] } = call;
  const body: number[] = [];
  for (const arg of args) putArgument(body, arg);
  // Little-endian, a call, no flags, version 1.
  const head: number[] = [0x6c, 1, 0, 1];
  putNumber(head, body.length);
  putNumber(head, serial);
  const signature = args.map(signatureOf).join('');
  putList(head, 8, () => {
    putField(head, field.path, 'o', call.path);
    putField(head, field.destination, 's', call.destination);
    putField(head, field.interface, 's', call.interface);
    putField(head, field.member, 's', call.member);
    if (signature !== '') putField(head, field.signature, 'g', signature);
  });
  pad(head, 8);
  return Buffer.from([...head, ...body]);
}

function signatureOf(arg: CallArgument): string {
  if (typeof arg === 'string') return 's';
  return typeof arg === 'boolean' ? 'b' : 'as';
}

function putArgument(bytes: number[], arg: CallArgument): void {
  if (typeof arg === 'string') putText(bytes, arg);
  else if (typeof arg === 'boolean') putNumber(bytes, arg ? 1 : 0);
  else {
    putList(bytes, 4, () => {
      for (const text of arg) putText(bytes, text);
    });
  }
}

function putField(bytes: number[], code: number, signature: 'o' | 's' | 'g', text: string): void {
  pad(bytes, 8);
  bytes.push(code);
  putSignature(bytes, signature);
  if (signature === 'g') putSignature(bytes, text);
  else putText(bytes, text);
}

/** The length in front is that of the elements, without what aligns the first. */
function putList(bytes: number[], alignment: number, putElements: () => void): void {
  putNumber(bytes, 0);
  const lengthAt = bytes.length - 4;
  pad(bytes, alignment);
  const start = bytes.length;
  putElements();
  bytes.splice(lengthAt, 4, ...littleEndian(bytes.length - start));
}

function putText(bytes: number[], text: string): void {
  const content = Buffer.from(text);
  putNumber(bytes, content.length);
  bytes.push(...content, 0);
}

function putSignature(bytes: number[], signature: string): void {
  bytes.push(signature.length, ...Buffer.from(signature), 0);
}

function putNumber(bytes: number[], value: number): void {
  pad(bytes, 4);
  bytes.push(...littleEndian(value));
}

function littleEndian(value: number): readonly number[] {
  return [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
}

function pad(bytes: number[], alignment: number): void {
  while (bytes.length % alignment !== 0) bytes.push(0);
}

const fixedHeadBytes = 16;
/** The specification's limit. */
const longestMessageBytes = 128 * 2 ** 20;

/** The length of the first message in the buffer; `undefined`: not enough of it is here. Throws if it is none. */
export function messageLength(buffer: Buffer): number | undefined {
  if (buffer.length < fixedHeadBytes) return undefined;
  // The bus gives a message as its sender wrote it, and systemd on the same machine has our byte order.
  if (buffer[0] !== 0x6c) throw new TypeError('a message of D-Bus is not little-endian');
  const bodyBytes = buffer.readUInt32LE(4);
  const fieldBytes = buffer.readUInt32LE(12);
  if (bodyBytes + fieldBytes > longestMessageBytes) throw new TypeError('a message of D-Bus is too long');
  return aligned(fixedHeadBytes + fieldBytes, 8) + bodyBytes;
}

export function decodeMessage(message: Buffer): DbusMessage {
  const head = readerOf(message);
  head.at = 12;
  const fields = new Map((readValue(head, 'a(yv)') as ReadonlyArray<[number, DbusValue]>).map((pair) => pair));
  const textOf = (code: number): string => String(fields.get(code) ?? '');
  const body = readerOf(message.subarray(aligned(head.at, 8)));
  return {
    kind: kinds.get(message[1] ?? 0) ?? 'other',
    replyTo: Number(fields.get(field.replySerial) ?? 0),
    member: textOf(field.member),
    errorName: textOf(field.errorName),
    body: typesIn(textOf(field.signature)).map((type) => readValue(body, type)),
  };
}

interface MessageReader {
  readonly bytes: Buffer;
  at: number;
}

function readerOf(bytes: Buffer): MessageReader {
  return { bytes, at: 0 };
}

function aligned(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

interface FixedType {
  readonly size: number;
  read(bytes: Buffer, at: number): DbusValue;
}

const fixedTypes: Readonly<Record<string, FixedType>> = {
  y: { size: 1, read: (bytes, at) => bytes.readUInt8(at) },
  b: { size: 4, read: (bytes, at) => bytes.readUInt32LE(at) !== 0 },
  n: { size: 2, read: (bytes, at) => bytes.readInt16LE(at) },
  q: { size: 2, read: (bytes, at) => bytes.readUInt16LE(at) },
  i: { size: 4, read: (bytes, at) => bytes.readInt32LE(at) },
  u: { size: 4, read: (bytes, at) => bytes.readUInt32LE(at) },
  h: { size: 4, read: (bytes, at) => bytes.readUInt32LE(at) },
  x: { size: 8, read: (bytes, at) => bytes.readBigInt64LE(at) },
  t: { size: 8, read: (bytes, at) => bytes.readBigUInt64LE(at) },
  d: { size: 8, read: (bytes, at) => bytes.readDoubleLE(at) },
};

function readValue(reader: MessageReader, type: string): DbusValue {
  const fixed = fixedTypes[type];
  if (fixed !== undefined) return readFixed(reader, fixed);
  if (type === 's' || type === 'o') return readText(reader, Number(readValue(reader, 'u')));
  if (type === 'g') return readText(reader, Number(readValue(reader, 'y')));
  if (type === 'v') return readValue(reader, String(readValue(reader, 'g')));
  if (type.startsWith('a')) return readList(reader, type.slice(1));
  // A structure, or a pair of a dictionary.
  reader.at = aligned(reader.at, 8);
  return typesIn(type.slice(1, -1)).map((each) => readValue(reader, each));
}

function readFixed(reader: MessageReader, { size, read }: FixedType): DbusValue {
  const at = aligned(reader.at, size);
  reader.at = at + size;
  return read(reader.bytes, at);
}

/** A zero follows the text. */
function readText(reader: MessageReader, length: number): string {
  const start = reader.at;
  reader.at = start + length + 1;
  return reader.bytes.toString('utf8', start, start + length);
}

function readList(reader: MessageReader, element: string): readonly DbusValue[] {
  const length = Number(readValue(reader, 'u'));
  reader.at = aligned(reader.at, alignmentOf(element));
  const end = reader.at + length;
  if (end > reader.bytes.length) throw new TypeError('a list in a message of D-Bus is longer than the message');
  const values: DbusValue[] = [];
  while (reader.at < end) values.push(readValue(reader, element));
  return values;
}

function alignmentOf(type: string): number {
  if (type.startsWith('(') || type.startsWith('{')) return 8;
  if (type === 'g' || type === 'v') return 1;
  return fixedTypes[type]?.size ?? 4;
}

/** The complete types that a signature has side by side. */
function typesIn(signature: string): readonly string[] {
  const types: string[] = [];
  let [type, depth] = ['', 0];
  for (const code of signature) {
    type += code;
    if (code === '(' || code === '{') depth += 1;
    if (code === ')' || code === '}') depth -= 1;
    if (depth > 0 || code === 'a') continue;
    types.push(type);
    type = '';
  }
  if (type !== '' || depth !== 0) throw new TypeError(`${signature} is no signature of D-Bus`);
  return types;
}
