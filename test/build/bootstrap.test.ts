import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';

const nodePackage = `node-linux-${process.arch}`;
const lockfile = {
  packages: {
    '': {},
    [`node_modules/${nodePackage}`]: { integrity: 'sha512-1' },
    'node_modules/for-another-machine': { integrity: 'sha512-2', optional: true },
  },
};

/** Does what matters of `npm ci`: it takes a while, it removes first, and it writes its record last. */
const fakeNpm = `#!/bin/sh
echo "npm $*" >> calls
rm -rf node_modules
mkdir -p node_modules/${nodePackage}/bin
ln -s "${process.execPath}" node_modules/${nodePackage}/bin/node
[ -e fail ] && { echo 'the registry is down'; exit 1; }
echo '${JSON.stringify({ packages: { [`node_modules/${nodePackage}`]: { integrity: 'sha512-1' } } })}' > node_modules/.package-lock.json
`;

const script = `
const [, , what] = process.argv;
if (what === 'signal') process.kill(process.pid, 'SIGTERM');
if (what === 'wait') process.once('SIGTERM', () => process.exit(7)), process.stdout.write('waiting'), setInterval(() => {}, 1000);
else console.log(JSON.stringify({ args: process.argv.slice(2), options: process.env.NODE_OPTIONS ?? null }));
process.exitCode = 5;
`;

await t.test('installs first, then passes arguments and exit code through', async (t) => {
  const project = makeProject(t);
  const first = await project.run(['script.mjs', 'a', 'two words'], { NODE_OPTIONS: '--no-warnings' });
  t.equal(first.code, 5);
  t.strictSame(JSON.parse(first.stdout), { args: ['a', 'two words'], options: null });
  t.match(first.stderr, /installing the packages of package-lock.json with npm ci/);
  const second = await project.run(['script.mjs'], {});
  t.equal(second.stderr, '', 'and says nothing when there is nothing to do');
  t.equal(project.npmCalls().length, 1);
});

await t.test('installs again after package-lock.json changed, or an installation was interrupted', async (t) => {
  const project = makeProject(t);
  await project.run(['script.mjs'], {});
  rmSync(join(project.directory, 'node_modules/.package-lock.json'));
  await project.run(['script.mjs'], {});
  t.equal(project.npmCalls().length, 2);
  const changed = { packages: { ...lockfile.packages, 'node_modules/new': { integrity: 'sha512-3' } } };
  writeFileSync(join(project.directory, 'package-lock.json'), JSON.stringify(changed));
  const { code, stderr } = await project.run(['script.mjs'], {});
  t.equal(project.npmCalls().length, 3);
  t.equal(code, 1);
  t.match(stderr, /npm ci ended well, yet node_modules is not what package-lock.json says/);
});

await t.test('two at once: one installs, both run', async (t) => {
  const project = makeProject(t);
  const both = await Promise.all([project.run(['script.mjs', '1'], {}), project.run(['script.mjs', '2'], {})]);
  t.strictSame(
    both.map(({ code }) => code),
    [5, 5],
  );
  t.equal(project.npmCalls().length, 1);
});

await t.test('a failed installation is one clear line after what npm says, and is tried again', async (t) => {
  const project = makeProject(t);
  writeFileSync(join(project.directory, 'fail'), '');
  const failed = await project.run(['script.mjs'], {});
  t.equal(failed.code, 1);
  t.match(failed.stderr, /the registry is down\nbootstrap: npm ci failed \(1\); its reason stands above\n$/);
  rmSync(join(project.directory, 'fail'));
  t.equal((await project.run(['script.mjs'], {})).code, 5);
});

await t.test('no npm, no script', async (t) => {
  const project = makeProject(t);
  const without = await project.run(['script.mjs'], { PATH: '/nonexistent' });
  t.equal(without.code, 1);
  t.match(without.stderr, /bootstrap: npm was not found; install Node.js together with npm, and try again\n$/);
  const usage = await project.run([], {});
  t.match(usage, { code: 1, stderr: 'bootstrap: usage: node build/bootstrap.mjs SCRIPT.ts [ARGUMENT]…\n' });
});

await t.test('signals, both ways', async (t) => {
  const project = makeProject(t);
  await project.run(['script.mjs'], {});
  t.equal((await project.run(['script.mjs', 'signal'], {})).signal, 'SIGTERM');
  const waiting = project.start(['script.mjs', 'wait'], {});
  waiting.child.stdout.once('data', () => waiting.child.kill('SIGTERM'));
  t.equal((await waiting.ended).code, 7);
});

function makeProject(t: Tap) {
  const directory = t.testdir({
    build: {},
    bin: { npm: fakeNpm },
    'script.mjs': script,
    'package-lock.json': JSON.stringify(lockfile),
  });
  copyFileSync(join(projectDirectory, 'build/bootstrap.mjs'), join(directory, 'build/bootstrap.mjs'));
  chmodSync(join(directory, 'bin/npm'), 0o755);
  const calls = join(directory, 'calls');
  const start = (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const path = `${join(directory, 'bin')}${delimiter}/usr/bin${delimiter}/bin`;
    const command = ['-i', ...assignments({ PATH: path, ...env }), process.execPath, 'build/bootstrap.mjs', ...args];
    const child = spawn('/usr/bin/env', command, { cwd: directory });
    const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(([end, stdout, stderr]) => ({
      ...end,
      stdout,
      stderr,
    }));
    return { child, ended };
  };
  return {
    directory,
    start,
    run: (args: readonly string[], env: Readonly<Record<string, string>>) => start(args, env).ended,
    npmCalls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
  };
}

type Tap = Pick<typeof t, 'testdir'>;

function assignments(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
