import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { run } from '../../build/run.ts';
import { secretMarker } from '../lab/clouds/secrets.ts';
import { copyRepository } from '../support/copy-repository.ts';

const files = {
  good: "import t from 'tap';\nawait t.test('holds', async (t) => t.ok(true));\n",
  bad: "import t from 'tap';\nawait t.test('breaks', async (t) => t.equal(1, 2, 'one is two'));\n",
  crash: "import t from 'tap';\nt.ok(true);\nprocess.exit(3);\n",
  skip: "import t from 'tap';\nt.plan(0, 'needs a moon');\n",
  leak: `import t from 'tap';\nt.comment('${secretMarker}' + 'xyz');\nt.ok(true);\n`,
  empty: '',
};

// tap removes the records of earlier runs at its start, while the tests beside this one write theirs. In a copy it has its own.
const repository = await mkdtemp(join(tmpdir(), 'polycloud-runner-'));
t.teardown(() => rm(repository, { recursive: true }));
await copyRepository(repository);

await t.test('a skip is listed with its reason and fails nothing', async (t) => {
  const outcome = await runTests(t, ['good', 'skip']);
  t.match(outcome, { code: 0, last: '1 passed, 0 failed', stdout: /skip\.test\.ts: needs a moon\n1 skipped\n/ });
});

await t.test('in CI a skip is a failure', async (t) => {
  t.match(await runTests(t, ['good', 'skip'], ['CI=true']), { code: 1, last: '1 passed, 1 failed' });
});

await t.test('whatever is wrong with a file is a failure with its reason', async (t) => {
  const { code, last, stdout, stderr } = await runTests(t, ['good', 'bad', 'crash', 'empty', 'leak']);
  t.equal(code, 1);
  t.equal(last, '2 passed, 4 failed');
  t.match(stdout, /not ok: .*bad\.test\.ts › breaks\n +one is two/);
  t.match(stdout, /not ok: .*crash\.test\.ts\n/);
  t.match(stdout, /not ok: .*empty\.test\.ts\n +holds no test/);
  t.match(stdout, /not ok: .*leak\.test\.ts\n +a secret of the lab was printed/);
  t.notOk((stdout + stderr).includes('xyz'), 'the secret is not shown again');
});

await t.test('the slowest files are printed with their sum', async (t) => {
  const { stdout } = await runTests(t, ['good', 'skip']);
  t.match(stdout, /\nslowest files:\n *\d+\.\d s {2}\S+\.test\.ts\n.*\n2 files, \d+\.\d s in sum, \d+\.\d s elapsed\n/);
});

await t.test('what failed before is counted', async (t) => {
  const { code, last, stdout } = await runTests(t, ['good'], [], ['--also-failed', 'npm run check']);
  t.match({ code, last }, { code: 1, last: '1 passed, 1 failed' });
  t.match(stdout, /not ok: npm run check\n +failed before the tests/);
});

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly last: string;
}

async function runTests(
  t: Test,
  names: readonly (keyof typeof files)[],
  variables: readonly string[] = [],
  options: readonly string[] = [],
): Promise<Outcome> {
  const directory = t.testdir(Object.fromEntries(names.map((name) => [`${name}.test.ts`, files[name]])));
  const paths = names.map((name) => join(directory, `${name}.test.ts`));
  const script = join(repository, 'test/run.ts');
  // `env -i`: a tap that believes to be part of another one prints and counts differently.
  const ended = await run('env', ['-i', ...variables, process.execPath, script, ...options, ...paths], { stdin: '' });
  return { ...ended, last: ended.stdout.trimEnd().split('\n').at(-1) ?? '' };
}
