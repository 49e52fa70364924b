import { Shared } from './split-shared.ts';

export function make(): Shared {
  return new Shared('rare');
}
