/** In place of node:zlib, which takes milliseconds to load: the SDK looks for this at each start and never calls it. */
export function crc32(data: Uint8Array, value?: number): number {
  return process.getBuiltinModule('node:zlib').crc32(data, value);
}
