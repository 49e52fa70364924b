import type { LabelSet } from '../../schemas/metrics/declaration.ts';

/** A value for each label of `L`. */
export type MetricLabels<L extends LabelSet> = {
  readonly [Name in keyof L]: L[Name] extends readonly (infer Value)[] ? Value : string;
};

/** The value that replaces all values beyond the maximum. */
const otherValue = 'other';

const longestValueCharacters = 128;

/** Returns the text between the braces of a sample; the same labels give the same text. */
export function createLabelText<L extends LabelSet>(labelSet: L): (labels: MetricLabels<L>) => string {
  const columns = Object.entries(labelSet).map(([name, allowed]) => ({ name, admit: createValueLimit(allowed) }));
  return (labels) => {
    const values = labels as Readonly<Record<string, string>>;
    return columns
      .map(({ name, admit: limitValue }) => `${name}="${escape(limitValue(values[name] ?? ''))}"`)
      .join(',');
  };
}

/** All combinations, if their number is finite. */
export function labelCombinations<L extends LabelSet>(labelSet: L): readonly MetricLabels<L>[] {
  let rows: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [name, allowed] of Object.entries(labelSet)) {
    if (!isList(allowed)) return [];
    rows = rows.flatMap((row) => allowed.map((value) => ({ ...row, [name]: value })));
  }
  return rows as readonly MetricLabels<L>[];
}

function createValueLimit(allowed: LabelSet[string]): (value: string) => string {
  if (isList(allowed)) return (value) => (allowed.includes(value) ? value : otherValue);
  const seen = new Set<string>();
  return (value) => {
    const short = value.slice(0, longestValueCharacters);
    if (!seen.has(short) && seen.size >= allowed.atMost) return otherValue;
    seen.add(short);
    return short;
  };
}

function isList(allowed: LabelSet[string]): allowed is readonly string[] {
  return Array.isArray(allowed);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function escape(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => escapes[character] ?? '');
}
