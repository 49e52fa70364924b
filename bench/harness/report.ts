import type { GateResult } from './gate.ts';
import type { VariantMeasurement } from './measure.ts';

/** For people: one line for each variant, ratios to the baseline. */
export function formatMeasured(measured: readonly VariantMeasurement[], baseline: string): string {
  const base = measured.find((one) => one.name === baseline)?.wallMs.p50 ?? Number.NaN;
  const head = ['', 'wall ms p50', 'p95', `÷ ${baseline}`, 'cpu ms p50', 'p95', 'RssAnon MB'];
  const rows = measured.map((one) => [
    one.name,
    one.wallMs.p50.toFixed(1),
    one.wallMs.p95.toFixed(1),
    (one.wallMs.p50 / base).toFixed(2),
    one.cpuMs?.p50.toFixed(1) ?? '',
    one.cpuMs?.p95.toFixed(1) ?? '',
    one.rssAnonKb === undefined ? '' : (one.rssAnonKb.p50 / kbPerMb).toFixed(1),
  ]);
  return formatTable([head, ...rows]);
}

const kbPerMb = 1024;

/** The first row is the head, the first column the names. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(columns[0] ?? 0) : cell.padStart(columns[column] ?? 0)))
      .join('  ');
  return `${rows.map(line).join('\n')}\n`;
}

/** A line for each gate. */
export function formatGateResults(results: readonly GateResult[]): string {
  return results.map((result) => `${formatGateResult(result)}\n`).join('');
}

function formatGateResult({ variant, metric, dividedBy, atMost, value, met }: GateResult): string {
  const divided = dividedBy === undefined ? '' : ` ÷ ${dividedBy}`;
  return `${met ? 'met   ' : 'MISSED'} ${variant}, ${metric}${divided}: ${value.toFixed(2)}, at most ${atMost}`;
}
