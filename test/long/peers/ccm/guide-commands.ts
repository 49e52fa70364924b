import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDirectory } from '../../../../build/project.ts';
import { documentedCommands } from '../../../docs/shell-commands.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';

/** The guide's commands of kubectl, as they stand there, on this cluster. */
export async function openGuideCommands({ kubectl }: SharedControlPlane) {
  const guide = await readFile(join(projectDirectory, 'docs/guides/move-to-polycloud.md'), 'utf8');
  const columns = /^columns='(?<value>.*)'$/m.exec(guide)?.groups?.['value'] ?? '';
  const commands = documentedCommands(guide).map(({ words }) => words.map((word) => word.replace('$columns', columns)));
  /** The first command with all these words. */
  return async (...parts: readonly string[]): Promise<string> => {
    const found = commands.find(([file, ...args]) => file === 'kubectl' && parts.every((part) => args.includes(part)));
    if (found === undefined) throw new Error(`the guide has no kubectl with ${parts.join(' ')}`);
    return kubectl(found.slice(1));
  };
}
