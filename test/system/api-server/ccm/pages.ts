import { readFile } from 'node:fs/promises';
import { sendRequest } from '../../../lib/server/send-request.ts';
import type { TestResponse } from '../../../lib/server/send-request.ts';
import type { TestEnvironment } from './environment.ts';

export type ReadPage = (path: string) => Promise<Pick<TestResponse, 'status' | 'text'>>;

/** What the controller serves on its port, as one sees it who may see everything. */
export function openPages({ plane: { authority } }: TestEnvironment, port: number): ReadPage {
  const clientCertificate = authority.issueClient(`reader-${String(port)}`, {
    user: 'reader',
    groups: ['system:masters'],
  });
  return async (path) => {
    const { certificateFile, keyFile } = await clientCertificate;
    const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
    return sendRequest(port, path, { cert, key, timeout: 10_000 });
  };
}
