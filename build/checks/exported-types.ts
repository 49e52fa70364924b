import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const isProduct = /^(?:schemas|clouds|lib|credential-provider|node-agent|ccm)\/.*\.ts$/;
const exportedType = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (?<name>[\w$]+)/;

/** One word has one meaning: no two exported types of the product have the same name. */
export function checkExportedTypes(files: readonly SourceFile[]): readonly StructureFinding[] {
  const declarations = files.filter(({ path }) => isProduct.test(path)).flatMap(exportedTypes);
  return [...Map.groupBy(declarations, ({ name }) => name).values()].flatMap(([first, ...others]) =>
    others.map(({ path, line, name }) => ({
      path,
      line,
      what: `${name} is also exported by ${first?.path}`,
      rule: 'one-meaning',
      remedy: 'rename one of them after its subject, or share the type',
    })),
  );
}

function exportedTypes({ path, text }: SourceFile): readonly { path: string; line: number; name: string }[] {
  return text.split('\n').flatMap((content, index) => {
    const name = exportedType.exec(content)?.groups?.['name'];
    return name === undefined ? [] : [{ path, line: index + 1, name }];
  });
}
