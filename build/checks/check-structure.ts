import { checkCloudList } from './cloud-list.ts';
import type { StructureFinding } from './finding.ts';
import { checkImportPaths } from './import-paths.ts';
import { checkNames } from './names.ts';
import { checkPackages } from './packages.ts';
import { checkSizes } from './sizes.ts';
import { readSourceTree } from './source-tree.ts';
import type { SourceFile } from './source-tree.ts';
import { checkSuppressions } from './suppressions.ts';

const structureChecks: readonly ((files: readonly SourceFile[]) => readonly StructureFinding[])[] = [
  checkImportPaths,
  checkNames,
  checkSizes,
  checkCloudList,
  checkPackages,
  checkSuppressions,
];

/** What the compiler and the linter do not know about the house: its folders, names, sizes, clouds and packages. */
export async function checkStructure(root: string): Promise<readonly StructureFinding[]> {
  const files = await readSourceTree(root);
  return structureChecks.flatMap((check) => check(files));
}
