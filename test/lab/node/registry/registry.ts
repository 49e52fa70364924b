import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import type { PartProgram } from '../../control-plane/processes.ts';
import type { AuthProxyOptions } from './auth-proxy.ts';

/** Debian's, with nothing in front of it but a socket. */
export async function registryProgram(directory: string): Promise<PartProgram> {
  const file = join(directory, 'registry.yml');
  await writeFile(
    file,
    stringify({
      version: 0.1,
      log: { level: 'warn' },
      storage: { filesystem: { rootdirectory: join(directory, 'registry') } },
      http: { net: 'unix', addr: registrySocketOf(directory), relativeurls: true },
    }),
  );
  return { file: '/usr/bin/docker-registry', args: ['serve', file] };
}

export function registrySocketOf(directory: string): string {
  return join(directory, 'registry.sock');
}

const authProxyFile = fileURLToPath(new URL('auth-proxy.ts', import.meta.url));

export function authProxyProgram(options: AuthProxyOptions): PartProgram {
  return { file: process.execPath, args: [authProxyFile, JSON.stringify(options)] };
}
