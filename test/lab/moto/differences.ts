import type { Operation, RawAnswer } from './answers.ts';
import { operations } from './answers.ts';
import { shapeOf } from './shape.ts';

export interface Difference {
  readonly operation: Operation;
  readonly path: string;
  /** Undefined: it has no such field. */
  readonly ours: string | undefined;
  readonly motos: string | undefined;
}

type Answers = Readonly<Record<Operation, RawAnswer>>;

export function findDifferences(ours: Answers, motos: Answers): readonly Difference[] {
  return operations.flatMap((operation) => {
    const [our, their] = [shapeOf(ours[operation]), shapeOf(motos[operation])];
    const paths = [...new Set([...our.keys(), ...their.keys()])];
    return paths
      .map((path) => ({ operation, path, ours: our.get(path), motos: their.get(path) }))
      .filter((difference) => difference.ours !== difference.motos);
  });
}
