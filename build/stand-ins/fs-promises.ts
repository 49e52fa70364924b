import type { readFile as Original } from 'node:fs/promises';

/** In place of node:fs/promises, which takes a millisecond to load: the SDK needs it only where it is given files to read. */
export const readFile = ((...args: Parameters<typeof Original>) =>
  process.getBuiltinModule('node:fs/promises').readFile(...args)) as typeof Original;
