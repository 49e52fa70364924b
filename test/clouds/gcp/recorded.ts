import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Google really answered, and where that can be read. */
export interface Recorded {
  readonly source: string;
  readonly status: number;
  readonly body: unknown;
}

export function recorded(name: string): Recorded {
  const file = join(import.meta.dirname, '..', '..', 'fixtures', 'gcp', `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
}
