import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

/** Names that say nothing about the contents, so that everything ends up there. */
const vagueNames = /^(?:utils?|helpers?|commons?|misc|managers?)$/;
/** Kubernetes calls the process that runs controllers a controller manager. */
const exceptions: ReadonlySet<string> = new Set(['ccm/manager.ts', 'test/ccm/manager.test.ts']);
const kebabCase = /^[._]?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;
/** Names that other programs or conventions require. */
const prescribed = /^(?:[A-Z]+(?:\.md|\.txt)?|Chart\.yaml|Chart\.lock|Dockerfile)$/;

export function checkNames(files: readonly SourceFile[]): readonly StructureFinding[] {
  return [...firstPathOfEachName(files)].flatMap(([place, path]) => checkName(path, place.split('/').at(-1) ?? place));
}

/** Each folder with its first file, and each file. */
function firstPathOfEachName(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { path } of files) {
    const parts = path.split('/');
    for (const depth of parts.keys()) {
      const name = parts.slice(0, depth + 1).join('/');
      if (!names.has(name)) names.set(name, path);
    }
  }
  return names;
}

function checkName(path: string, name: string): readonly StructureFinding[] {
  const stem = name.replace(/^[._]/, '').split('.')[0] ?? '';
  if (vagueNames.test(stem) && !exceptions.has(path)) {
    const remedy = 'name it after what it does, or move its parts to their users';
    return [{ path, line: 1, what: `the name "${name}" says nothing`, rule: 'telling-names', remedy }];
  }
  if (kebabCase.test(name) || prescribed.test(name)) return [];
  return [
    { path, line: 1, what: `"${name}" is not in kebab-case`, rule: 'kebab-case', remedy: 'use-lower-case-and-hyphens' },
  ];
}
