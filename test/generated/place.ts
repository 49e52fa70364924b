import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRawServers } from './raw-servers.ts';
import type { RawServers } from './raw-servers.ts';

/** Where cases are played, one at a time: servers of its own and a directory that is also the home. */
export interface Place {
  readonly servers: RawServers;
  readonly directory: string;
  close(): Promise<void>;
}

export async function openPlace(): Promise<Place> {
  const [servers, directory] = await Promise.all([openRawServers(), mkdtemp(join(tmpdir(), 'polycloud-generated-'))]);
  return {
    servers,
    directory,
    close: async () => {
      await servers.close();
      await rm(directory, { recursive: true });
    },
  };
}
