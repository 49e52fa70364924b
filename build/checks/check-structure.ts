import { checkCapabilityTests } from './capability-tests.ts';
import { checkCloudList } from './cloud-list.ts';
import { checkExportedTypes } from './exported-types.ts';
import type { StructureFinding } from './finding.ts';
import { checkFileUrls } from './file-urls.ts';
import { checkImportPaths } from './import-paths.ts';
import { checkMarkdownLines } from './markdown-lines.ts';
import { checkMarkdownLinks } from './markdown-links.ts';
import { checkMarkdownPaths } from './markdown-paths.ts';
import { checkNames } from './names.ts';
import { checkPackages } from './packages.ts';
import { checkRetiredWords } from './retired-words.ts';
import { checkSizes } from './sizes.ts';
import { readSourceTree } from './source-tree.ts';
import type { SourceFile } from './source-tree.ts';
import { checkSuppressions } from './suppressions.ts';

const structureChecks: readonly ((files: readonly SourceFile[]) => readonly StructureFinding[])[] = [
  checkImportPaths,
  checkFileUrls,
  checkNames,
  checkSizes,
  checkCloudList,
  checkCapabilityTests,
  checkPackages,
  checkSuppressions,
  checkExportedTypes,
  checkRetiredWords,
  checkMarkdownPaths,
  checkMarkdownLinks,
  checkMarkdownLines,
];

/** The rules of this repository that neither the compiler nor the linter can enforce. */
export async function checkStructure(root: string): Promise<readonly StructureFinding[]> {
  const files = await readSourceTree(root);
  return structureChecks.flatMap((check) => check(files));
}
