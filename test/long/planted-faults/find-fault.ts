import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../build/run.ts';
import type { PlantedFault } from './planted-fault.ts';

const longestTestMs = 120_000;

/** How a unit test ended: only `failed` shows that it noticed something. */
export type TestEnding = 'passed' | 'failed' | 'broken';

/** Plants the fault in the copy of the repository, runs its tests, and removes it again. Returns what is wrong, if anything. */
export async function findFault(copy: string, fault: PlantedFault): Promise<readonly string[]> {
  const file = join(copy, fault.file);
  const text = await readFile(file, 'utf8');
  const count = text.split(fault.find).length - 1;
  if (count !== 1) return [`${fault.file} holds the text to find ${count} times, and has to hold it once`];
  if (fault.tests.length === 0) return ['no test is named'];
  // A replacer function: `$` in the text means nothing.
  await writeFile(
    file,
    text.replace(fault.find, () => fault.replace),
  );
  try {
    return await problemsOf(copy, fault.tests);
  } finally {
    await writeFile(file, text);
  }
}

async function problemsOf(copy: string, tests: readonly string[]): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const test of tests) {
    const { ending, output } = await runTest(copy, test);
    if (ending === 'passed') complaints.push(`${test} passes all the same`);
    if (ending === 'broken') complaints.push(`${test} does not run: ${output.slice(-outputMax)}`);
  }
  return complaints;
}

const outputMax = 1_500;

/** The exit code alone does not distinguish a failed assertion from a program that cannot be loaded. */
export async function runTest(copy: string, test: string): Promise<{ ending: TestEnding; output: string }> {
  // `env -i`: a test that believes to be part of another one prints differently.
  const args = ['-i', `PATH=${process.env['PATH'] ?? ''}`, `HOME=${process.env['HOME'] ?? ''}`, process.execPath, test];
  // A fault can make a loop that never ends, and that no timer in its process can end.
  const limit = { timeout: longestTestMs, killSignal: 'SIGKILL' } as const;
  const { code, stdout, stderr } = await run('env', args, { cwd: copy, stdin: '', ...limit });
  if (code === null && !failedAssertion.test(stdout)) {
    return { ending: 'broken', output: `it did not end in ${String(longestTestMs)} ms` };
  }
  return { ending: endingOf(code, stdout, stderr), output: stdout + stderr };
}

function endingOf(code: number | null, stdout: string, stderr: string): TestEnding {
  if (code === 0) return 'passed';
  if (cannotLoad.test(stderr) || cannotLoad.test(stdout)) return 'broken';
  return failedAssertion.test(stdout) ? 'failed' : 'broken';
}

const cannotLoad = /SyntaxError|ERR_MODULE_NOT_FOUND|ERR_INVALID_TYPESCRIPT_SYNTAX|ReferenceError/;
/** With its place: a file that only crashes has no point of its own. */
const failedAssertion = /^ *not ok \d+ - /m;
