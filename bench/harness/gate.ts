/** A bar: the p50 of a variant, or that divided by another's, is at most this. */
export interface Gate {
  readonly variant: string;
  readonly metric: string;
  readonly dividedBy?: string;
  readonly atMost: number;
}

export interface GateResult extends Gate {
  readonly value: number;
  readonly met: boolean;
}

/** `undefined`: not measured. */
export type P50Of = (variant: string, metric: string) => number | undefined;

export function evaluateGates(gates: readonly Gate[], p50Of: P50Of): readonly GateResult[] {
  return gates.map((gate) => {
    const divisor = gate.dividedBy === undefined ? 1 : requireMeasured(p50Of, gate.dividedBy, gate.metric);
    const value = requireMeasured(p50Of, gate.variant, gate.metric) / divisor;
    return { ...gate, value, met: value <= gate.atMost };
  });
}

function requireMeasured(p50Of: P50Of, variant: string, metric: string): number {
  const value = p50Of(variant, metric);
  if (value === undefined) throw new Error(`a gate asks for ${metric} of ${variant}, which was not measured`);
  return value;
}
