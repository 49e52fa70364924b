/** The sample lines of one metric. */
export type Samples = () => Iterable<string>;

export function sampleLine(name: string, labelText: string, value: number): string {
  return `${name}${labelText === '' ? '' : `{${labelText}}`} ${numberText(value)}\n`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
