import type { Measured } from './measure.ts';

/** A bar: the p50 of a variant, or that divided by another's, is at most this. */
export interface Gate {
  readonly variant: string;
  readonly metric: 'wallMs' | 'rssAnonKb';
  readonly dividedBy?: string;
  readonly atMost: number;
}

export interface Verdict extends Gate {
  readonly value: number;
  readonly met: boolean;
}

export function judge(gates: readonly Gate[], measured: readonly Measured[]): readonly Verdict[] {
  return gates.map((gate) => {
    const divisor = gate.dividedBy === undefined ? 1 : p50(measured, gate.dividedBy, gate.metric);
    const value = p50(measured, gate.variant, gate.metric) / divisor;
    return { ...gate, value, met: value <= gate.atMost };
  });
}

function p50(measured: readonly Measured[], name: string, metric: Gate['metric']): number {
  const value = measured.find((one) => one.name === name)?.[metric]?.p50;
  if (value === undefined) throw new Error(`a gate asks for ${metric} of ${name}, which was not measured`);
  return value;
}
