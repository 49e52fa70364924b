import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import { requestBytes } from '../../test/system/programs/provider.ts';
import type { ProviderCall } from '../../test/system/programs/provider.ts';
import type { Variant } from '../harness/variant.ts';
import { preparePeer } from '../peers/prepare-peer.ts';

/** One command line that answers one request. */
export interface ProviderSubject extends Variant {
  /** For who writes it to standard input; absent: it takes none. */
  readonly request?: string;
  /** With its cloud. */
  readonly protocol: 'HTTP' | 'HTTPS';
}

export interface SubjectSpec extends Pick<ProviderCall, 'image' | 'token' | 'annotations' | 'env'> {
  readonly name: string;
  /** Whose program it is. */
  readonly program: 'ours' | 'ecr-credential-provider' | 'acr-credential-provider';
  readonly args?: readonly string[];
  readonly protocol: ProviderSubject['protocol'];
}

export interface SubjectOptions {
  readonly entries: readonly SubjectSpec[];
  /** For files. */
  readonly directory: string;
  /** Another build of ours, which is to run in every place of ours too. */
  readonly beside?: string;
}

export const bareNode = 'bare node';

export async function createProviderSubjects(
  options: SubjectOptions,
  log: (line: string) => void,
): Promise<readonly ProviderSubject[]> {
  const { entries, directory, beside } = options;
  const script = join(directory, 'bare.cjs');
  // One byte, so that there is a moment to look at its memory.
  await writeFile(script, "require('node:fs').writeSync(1, '\\n');");
  const node = { name: bareNode, file: process.execPath, args: [script], env: {}, answers: true } as const;
  const subjects: ProviderSubject[] = [{ ...node, protocol: 'HTTPS' }];
  for (const entry of entries) {
    const file = entry.program === 'ours' ? ours : await preparePeer(entry.program, log);
    const subject = await createSubject(entry, file, directory);
    subjects.push(subject);
    if (entry.program === 'ours' && beside !== undefined) {
      subjects.push({ ...subject, name: `${entry.name}, beside`, file: beside });
    }
  }
  return subjects;
}

const ours = executablePath('polycloud-credential-provider', hostArchitecture());

async function createSubject(entry: SubjectSpec, file: string, directory: string): Promise<ProviderSubject> {
  const { name, args = [], env = {}, protocol } = entry;
  const request = requestBytes(entry);
  const stdinFile = join(directory, `${name.replaceAll(/\W+/g, '-')}.json`);
  await writeFile(stdinFile, request);
  // Go looks for a home to look for settings in.
  return { name, file, args, env: { HOME: '/nowhere', ...env }, stdinFile, answers: true, request, protocol };
}
