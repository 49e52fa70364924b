import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parseDemoOptions, usage } from './demo-options.ts';

await t.test('the options', async (t) => {
  t.strictSame(parseDemoOptions([]), { whole: false, help: false });
  t.strictSame(parseDemoOptions(['--whole', '--no-install']), { whole: true, help: false });
  t.strictSame(parseDemoOptions(['-h']), { whole: false, help: true });
  t.throws(() => parseDemoOptions(['--wohle']), /--wohle/);
});

await t.test('help and a wrong option end before anything is built', async (t) => {
  t.match(run(['--help']), { status: 0, stdout: usage, stderr: '' });
  t.match(run(['--wohle']), { status: 2, stdout: '', stderr: /^demo: .*--wohle.*\nhint: npm run demo -- --help\n$/s });
});

function run(args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const demo = fileURLToPath(new URL('demo.ts', import.meta.url));
  return spawnSync(process.execPath, [demo, ...args], { encoding: 'utf8' });
}
