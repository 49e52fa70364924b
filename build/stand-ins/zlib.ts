/** In place of node:zlib, which takes milliseconds to load: the SDK looks for this at each start and never calls it. */
export function crc32(data: Uint8Array, value?: number): number {
  return process.getBuiltinModule('node:zlib').crc32(data, value);
}

/** The whole of it, for those that take it as one object; loaded when something of it is asked for. */
// oxlint-disable-next-line import/no-default-export -- node:zlib has one
export default new Proxy<Record<string, never>>(
  {},
  { get: (_target, name): unknown => Reflect.get(process.getBuiltinModule('node:zlib'), name) },
);
