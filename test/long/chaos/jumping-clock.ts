import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Support } from '../../lab/requires.ts';
import type { ChaosFault } from './faults.ts';

const libraries = ['x86_64', 'aarch64'].map((name) => `/usr/lib/${name}-linux-gnu/faketime/libfaketimeMT.so.1`);
/** Absent: it is not installed. */
export const fakeTimeLibrary = libraries.find((path) => existsSync(path));

export function jumpingClockSupport(): Support {
  if (fakeTimeLibrary !== undefined) return { available: true };
  return { available: false, reason: 'the wall clock of a process jumps by the Debian package libfaketime' };
}

/** The wall clock of programs that are started with these variables. Their monotonic clock goes on as ever. */
export interface JumpingClock {
  readonly env: Readonly<Record<string, string>>;
  readonly fault: ChaosFault;
}

const jumpsS = [-1_800, -60, -5, 5, 60, 1_800];

export async function createJumpingClock(directory: string): Promise<JumpingClock> {
  const file = join(directory, 'clock');
  const jump = async (offsetS: number): Promise<void> => {
    await writeFile(`${file}.new`, `${offsetS < 0 ? '' : '+'}${offsetS}s\n`);
    await rename(`${file}.new`, file);
  };
  await jump(0);
  return {
    env: {
      LD_PRELOAD: fakeTimeLibrary ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    fault: {
      name: 'the clock jumps, and back',
      begin: (random) => jump(random.pick(jumpsS)),
      end: () => jump(0),
    },
  };
}
