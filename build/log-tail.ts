import { readFile } from 'node:fs/promises';

/** The last lines of a log, as the reason for a failure: programs say it there and nowhere else. */
export async function logTail(file: string, lines: number): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const kept = text.trim().split('\n').slice(-lines).join('\n');
  return kept === '' ? '(it said nothing)' : kept;
}
