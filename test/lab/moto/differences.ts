import type { Operation, AwsResponse } from './responses.ts';
import { operations } from './responses.ts';
import { shapeOf } from './shape.ts';

export interface Difference {
  readonly operation: Operation;
  readonly path: string;
  /** Undefined: it has no such field. */
  readonly ours: string | undefined;
  readonly motos: string | undefined;
}

type AwsResponses = Readonly<Record<Operation, AwsResponse>>;

export function findDifferences(ours: AwsResponses, motos: AwsResponses): readonly Difference[] {
  return operations.flatMap((operation) => {
    const [our, their] = [shapeOf(ours[operation]), shapeOf(motos[operation])];
    const paths = [...new Set([...our.keys(), ...their.keys()])];
    return paths
      .map((path) => ({ operation, path, ours: our.get(path), motos: their.get(path) }))
      .filter((difference) => difference.ours !== difference.motos);
  });
}
