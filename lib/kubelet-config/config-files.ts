import { accessSync, constants, readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The files at the path of the kubelet's flag. */
export type ConfigFiles =
  | { readonly kind: 'files'; readonly files: readonly ConfigFile[] }
  | { readonly kind: 'unreadable'; readonly file: string; readonly what: string };

export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

const extensions = ['.json', '.yaml', '.yml'];

/** In a directory: the files with these extensions, sorted by name, without subdirectories. */
export function readConfigFiles(path: string): ConfigFiles {
  try {
    const isDirectory = statSync(path).isDirectory();
    const names = isDirectory ? filesOf(path) : [path];
    if (names.length === 0) {
      return { kind: 'unreadable', file: path, what: `it contains no ${extensions.join(', ')} file` };
    }
    return { kind: 'files', files: names.map((name) => ({ name, text: readFileSync(name, 'utf8') })) };
  } catch (error) {
    return { kind: 'unreadable', file: path, what: `it cannot be read (${codeOf(error)})` };
  }
}

function filesOf(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && extensions.includes(extname(entry.name)))
    .map(({ name }) => join(directory, name))
    .toSorted();
}

/** Why the kubelet cannot execute it; `undefined`: it can. */
export function whyNotExecutable(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return 'is not a file';
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? 'does not exist' : `cannot be executed (${code})`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
