import type { Test } from 'tap';
import type { MetricDeclaration, MetricDeclarations } from '../../schemas/metrics/declaration.ts';

/** The page has exactly the declared metrics, as they are declared, and each sample has exactly the declared labels. */
export function checkServed(t: Test, page: string, tables: readonly MetricDeclarations[]): void {
  const declared = tables.flatMap((table) => Object.values(table));
  const heads = declared.flatMap(({ name, help, type }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]);
  const lines = page.split('\n').filter((line) => line !== '');
  t.strictSame(lines.filter((line) => line.startsWith('#')).toSorted(), heads.toSorted());
  for (const line of lines.filter((each) => !each.startsWith('#'))) checkSample(t, line, declared);
}

const samplePattern = /^(?<name>[a-z_]+)(?:\{(?<labels>.*)\})? (?:[-+\d.e]+|NaN)$/;

function checkSample(t: Test, line: string, declared: readonly MetricDeclaration[]): void {
  const { name = '', labels = '' } = samplePattern.exec(line)?.groups ?? {};
  const metric = declared.find((each) => namesOf(each).includes(name));
  const given = [...labels.matchAll(/(?:^|,)([a-z]+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label);
  t.strictSame(
    new Set(given.filter((label) => label !== 'le')),
    new Set(Object.keys(metric?.labels ?? { 'not declared': '' })),
    line,
  );
}

function namesOf({ name, type }: MetricDeclaration): readonly string[] {
  return type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];
}
