import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDirectory } from '../../build/project.ts';

/** The environment variables that the sources in a folder name. */
export async function variablesRead(folder: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const files = await readdir(join(projectDirectory, folder), { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join(projectDirectory, folder, file), 'utf8');
    for (const [name] of text.matchAll(/(?<=['"`.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=['"`\]])/g)) {
      if (!noVariables.test(name)) found.add(name);
    }
    for (const [name] of text.matchAll(/\b[a-z]+_proxy\b/g)) found.add(name);
  }
  return found;
}

/** Names of the same form that are not variables. */
const noVariables = /^(?:ERR|UNABLE|SELF|DEPTH|CERT|INVALID|EAI|HPE|DEFAULT|NODE)_/;
