import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executable.ts';
import { requestBytes } from '../../test/system/programs/provider.ts';
import type { Question } from '../../test/system/programs/provider.ts';
import type { Variant } from '../harness/variant.ts';
import { preparePeer } from '../peers/prepare-peer.ts';

/** One command line that answers one request. */
export interface Contender extends Variant {
  /** For who writes it to standard input; absent: it takes none. */
  readonly request?: string;
  /** With its cloud. */
  readonly speaks: 'HTTP' | 'HTTPS';
}

export interface Entry extends Pick<Question, 'image' | 'token' | 'annotations' | 'env'> {
  readonly name: string;
  /** Whose program it is. */
  readonly program: 'ours' | 'ecr-credential-provider' | 'acr-credential-provider';
  readonly args?: readonly string[];
  readonly speaks: Contender['speaks'];
}

export interface Wish {
  readonly entries: readonly Entry[];
  /** For files. */
  readonly directory: string;
  /** Another build of ours, which is to run in every place of ours too. */
  readonly beside?: string;
}

export const bareNode = 'bare node';

export async function makeContenders(wish: Wish, say: (line: string) => void): Promise<readonly Contender[]> {
  const { entries, directory, beside } = wish;
  const script = join(directory, 'bare.cjs');
  // One byte, so that there is a moment to look at its memory.
  await writeFile(script, "require('node:fs').writeSync(1, '\\n');");
  const node = { name: bareNode, file: process.execPath, args: [script], env: {}, answers: true } as const;
  const made: Contender[] = [{ ...node, speaks: 'HTTPS' }];
  for (const entry of entries) {
    const file = entry.program === 'ours' ? ours : await preparePeer(entry.program, say);
    const contender = await makeContender(entry, file, directory);
    made.push(contender);
    if (entry.program === 'ours' && beside !== undefined) {
      made.push({ ...contender, name: `${entry.name}, beside`, file: beside });
    }
  }
  return made;
}

const ours = executablePath('polycloud-credential-provider', hostArchitecture());

async function makeContender(entry: Entry, file: string, directory: string): Promise<Contender> {
  const { name, args = [], env = {}, speaks } = entry;
  const request = requestBytes(entry);
  const stdinFile = join(directory, `${name.replaceAll(/\W+/g, '-')}.json`);
  await writeFile(stdinFile, request);
  // Go looks for a home to look for settings in.
  return { name, file, args, env: { HOME: '/nowhere', ...env }, stdinFile, answers: true, request, speaks };
}
