import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const list = 'clouds/index.ts';
const mustHave = ['index.ts', 'README.md'];

/** The clouds on disk are the clouds in the list, and each is complete. */
export function checkCloudList(files: readonly SourceFile[]): readonly StructureFinding[] {
  const paths = new Set(files.map((file) => file.path));
  const onDisk = new Set([...paths].flatMap((path) => /^clouds\/([^/]+)\//.exec(path)?.[1] ?? []));
  const listed = listedClouds(files.find((file) => file.path === list));
  return [
    ...[...onDisk].filter((name) => !listed.has(name)).map(unlisted),
    ...[...listed].filter(([name]) => !onDisk.has(name)).map(([name, line]) => missing(name, line)),
    ...[...onDisk].flatMap((name) => incomplete(name, paths)),
  ];
}

/** Each cloud that the list imports, with the line number. */
function listedClouds(file: SourceFile | undefined): ReadonlyMap<string, number> {
  const lines = file?.text.split('\n') ?? [];
  return new Map(
    lines.flatMap((line, index) => {
      const names = [...line.matchAll(/'\.\/([^/']+)\/index\.ts'/g)].map(([, name = '']) => name);
      return names.map((name) => [name, index + 1] as const);
    }),
  );
}

function unlisted(name: string): StructureFinding {
  const remedy = `add a line with import('./${name}/index.ts'), or remove the folder`;
  return { path: list, line: 1, what: `clouds/${name} is not in the list`, rule: 'cloud-list', remedy };
}

function missing(name: string, line: number): StructureFinding {
  const remedy = 'add the folder or remove the line';
  return { path: list, line, what: `there is no folder clouds/${name}`, rule: 'cloud-list', remedy };
}

function incomplete(name: string, paths: ReadonlySet<string>): readonly StructureFinding[] {
  return mustHave
    .map((file) => `clouds/${name}/${file}`)
    .filter((path) => !paths.has(path))
    .map((path) => ({
      path,
      line: 1,
      what: 'is missing',
      rule: 'cloud-complete',
      remedy: 'every cloud has one; write it',
    }));
}
