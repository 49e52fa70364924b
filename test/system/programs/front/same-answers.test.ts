import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../../build/project.ts';
import { needing } from '../../../lab/needing.ts';
import { runCommand } from '../../../lab/network/run-command.ts';
import { frontSupport } from './stage.ts';

const longestFileMs = 600_000;
const atOnce = 2;

t.setTimeout(30 * 60_000);

/** The tests of the credential provider once more: each question goes to the front end, before a broker that knows nothing yet. */
await t.test('front end and broker answer as the full program does', needing(await frontSupport()), async (t) => {
  const directory = join(projectDirectory, 'test/system/programs');
  const files = (await readdir(directory)).filter((name) => name.endsWith('.test.ts'));
  t.jobs = atOnce;
  for (const file of files) {
    await t.test(file, async (t) => {
      const env = {
        PATH: process.env['PATH'] ?? '',
        POLYCLOUD_TEST_FRONT_END: 'yes',
        TAP_TIMEOUT: String(longestFileMs / 1_000),
      };
      const options = { env, input: '', timeoutMs: longestFileMs };
      const { code, stdout, stderr } = await runCommand(process.execPath, [join(directory, file)], options);
      const failed = stdout.split('\n').filter((line) => /^\s*not ok/.test(line));
      t.strictSame({ code, failed }, { code: 0, failed: [] }, stderr.slice(-2_000));
      t.match(stdout, /^# \{.*pass: [1-9]/m, 'and something was asked');
    });
  }
});
