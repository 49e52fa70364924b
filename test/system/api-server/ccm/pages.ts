import { readFile } from 'node:fs/promises';
import { ask } from '../../../lib/server/ask.ts';
import type { Reply } from '../../../lib/server/ask.ts';
import type { World } from './world.ts';

export type ReadPage = (path: string) => Promise<Pick<Reply, 'status' | 'text'>>;

/** What the controller serves on its port, as one sees it who may see everything. */
export function openPages({ plane: { authority } }: World, port: number): ReadPage {
  const known = authority.issueClient(`reader-${String(port)}`, { user: 'reader', groups: ['system:masters'] });
  return async (path) => {
    const { certificateFile, keyFile } = await known;
    const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
    return ask(port, path, { cert, key, timeout: 10_000 });
  };
}
