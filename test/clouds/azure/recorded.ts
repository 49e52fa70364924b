import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpResponse } from '../../../lib/http/http.ts';

interface Recorded {
  /** The source of the recorded response. */
  readonly source: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const file = join(import.meta.dirname, '..', '..', 'fixtures', 'azure', 'bodies.json');
const all = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Recorded>>;

export function recorded(name: string): HttpResponse {
  const found = all[name];
  if (found === undefined) throw new Error(`there is no fixture ${name}`);
  return answer(found.status, found.body, found.headers);
}

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}
