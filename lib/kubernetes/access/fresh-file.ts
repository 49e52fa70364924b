import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../../failure.ts';

/** A small file that can change while the program runs. */
export interface FreshFile {
  /** The last good content if the file is missing or empty for a moment. Throws a `Failure` if there never was one. */
  read(): string;
}

/** Read again only when its metadata changed: a stat costs microseconds, and rotation swaps a link or renames. */
export function freshFile(path: string): FreshFile {
  let stamp = '';
  let text = '';
  return {
    read: () => {
      try {
        const { ino, size, mtimeMs, ctimeMs } = statSync(path);
        const stampNow = [ino, size, mtimeMs, ctimeMs].join(' ');
        if (stampNow !== stamp) {
          text = readFileSync(path, 'utf8') || text;
          stamp = stampNow;
        }
      } catch (error) {
        if (text === '') throw unreadable(path, error);
      }
      if (text === '') throw unreadable(path, undefined);
      return text;
    },
  };
}

function unreadable(path: string, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it is empty';
  return new Failure('misconfigured', `${path} cannot be read (${code})`, {
    remedy: 'check that it is there and that this program may read it',
    cause,
  });
}
