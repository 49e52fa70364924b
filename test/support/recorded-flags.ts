import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDirectory } from '../../build/project.ts';

/** A flag of a vendor's program. Without a type it is a switch. */
export interface RecordedFlag {
  readonly flag: string;
  readonly type: string | undefined;
}

export const recordedPrograms = [
  'aws-cloud-controller-manager',
  'azure-cloud-controller-manager',
  'azure-cloud-node-manager',
  'gcp-cloud-controller-manager',
  // Flags that these programs hide, and those that earlier or later versions have.
  'other-versions',
] as const;

/** The flags in test/fixtures/upstream-flags. */
export async function recordedFlags(program: (typeof recordedPrograms)[number]): Promise<readonly RecordedFlag[]> {
  const text = await readFile(join(projectDirectory, 'test/fixtures/upstream-flags', `${program}.txt`), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('--'));
  return lines.map((line) => {
    const [flag = '', type] = line.split(' ');
    return { flag, type };
  });
}

/** The flags in the text of `--help`, as Go's pflag writes it. */
export function flagsInHelp(text: string): readonly RecordedFlag[] {
  const lines = text.matchAll(/^ {2,}(?:-[a-z], +)?(?<flag>--[a-z0-9-]+)(?: (?<type>\S+))?(?: {2,}|$)/gm);
  return Array.from(lines, ({ groups }) => ({ flag: groups?.['flag'] ?? '', type: groups?.['type'] }));
}
