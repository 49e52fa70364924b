import { writeSync } from 'node:fs';
import { Shared } from './split-shared.ts';

// A program in several chunks, for the tests: it loads those that its arguments name.
main().catch((error: unknown) => {
  throw error;
});

async function main(): Promise<void> {
  for (const word of process.argv.slice(2)) {
    const { make } = word === 'rare' ? await import('./split-rare.ts') : await import('./split-usual.ts');
    writeSync(1, `${word} ${make() instanceof Shared}\n`);
  }
}
