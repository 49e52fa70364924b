import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { buildPrograms } from '../../../build/go-programs/build-programs.ts';
import { buildsAtOnce, makeFakeGo } from './fake-go.ts';
import type { FakeGo } from './fake-go.ts';
import { moduleOf } from './programs.ts';
import type { ProgramName } from './programs.ts';
import { waitUntil } from './wait-until.ts';

const soon = { withinMs: 20_000, everyMs: 10 };
const kubernetes = moduleOf('kubectl');
const fake = { version: 'go1.26.8' };

await t.test('all of a module are built by one call, with pinned modules and the version inside', async (t) => {
  const { directory, go, build } = prepareBuild(t.testdir(), buildsAtOnce);
  await build(['kubectl', 'kubelet']);
  t.same(readdirSync(directory).sort(), ['kubectl', 'kubelet']);
  const [call, ...others] = buildRecords(go);
  t.same(others, []);
  t.match(call, '-mod=readonly -trimpath');
  t.match(call, '-X k8s.io/component-base/version.gitVersion=v1.37.1');
  t.ok(call?.endsWith('k8s.io/kubernetes/cmd/kubectl k8s.io/kubernetes/cmd/kubelet'));
});

await t.test('what is there is not built again', async (t) => {
  const { directory, go, build } = prepareBuild(t.testdir(), buildsAtOnce);
  await build(['kubectl', 'kubelet']);
  const before = readFileSync(join(directory, 'kubectl'));
  await build(['kubectl', 'kubelet']);
  t.equal(buildRecords(go).length, 1);
  await build(['kubectl', 'kube-scheduler']);
  t.ok(buildRecords(go)[1]?.endsWith('cmd/kube-scheduler'));
  t.same(readFileSync(join(directory, 'kubectl')), before);
});

await t.test('progress is logged', async (t) => {
  const parent = t.testdir();
  const gate = join(parent, 'gate');
  const { said, build } = prepareBuild(
    parent,
    `echo 'go: downloading x v1' >&2; echo k8s.io/api >&2; while [ ! -e ${gate} ]; do sleep 0.02; done; ${buildsAtOnce}`,
  );
  const done = build(['kubectl', 'kubelet']);
  const repeated = async (): Promise<true | undefined> =>
    said.filter((line) => / s, 1 modules fetched, 1 packages compiled, last k8s.io\/api$/.test(line)).length >= 2 ||
    undefined;
  await waitUntil({ what: 'two lines of progress', ...soon }, repeated);
  writeFileSync(gate, '');
  await done;
  t.match(said.at(-1), /^kubernetes 1.37.1: built in \d+ s$/);
});

await t.test('a failed build reports why, and leaves nothing', async (t) => {
  const { directory, build } = prepareBuild(t.testdir(), 'echo "x.go:1: no such thing" >&2; exit 1');
  await t.rejects(build(['kubectl', 'kubelet']), /go build ended with exit code 1: x.go:1: no such thing/);
  t.same(readdirSync(directory), []);
});

await t.test('a program of another version is not taken', async (t) => {
  const { directory, build } = prepareBuild(t.testdir(), buildsAtOnce.replaceAll('1.37.1', '1.36.0'));
  await t.rejects(build(['kubectl', 'kubelet']), /kubectl is 1.36.0, and has to be 1.37.1/);
  t.same(readdirSync(directory), []);
});

await t.test('a build that is killed leaves no program, and the next one clears up after it', async (t) => {
  const parent = t.testdir();
  const { directory, go } = prepareBuild(parent, `${buildsAtOnce}\ntouch ${join(parent, 'half-done')}\nsleep 600`);
  const builder = startBuilder(parent, go, directory);
  await waitUntil({ what: 'a half build', ...soon }, async () => existsSync(join(parent, 'half-done')) || undefined);
  const ended = once(builder, 'exit');
  builder.kill('SIGKILL');
  await ended;
  t.notOk(existsSync(join(directory, 'kubectl')));
  writeFileSync(go.file, readFileSync(go.file, 'utf8').replace('sleep 600', ''));
  await buildPrograms(kubernetes, ['kubectl', 'kubelet'], {
    go: go.file,
    directory,
    progressEveryMs: 50,
    say: () => {},
  });
  t.same(readdirSync(directory).sort(), ['kubectl', 'kubelet']);
});

await t.test('of two at once one builds, and the other waits for it', async (t) => {
  const parent = t.testdir();
  const gate = join(parent, 'gate');
  const { directory, go, said, build } = prepareBuild(
    parent,
    `while [ ! -e ${gate} ]; do sleep 0.02; done; ${buildsAtOnce}`,
  );
  const builder = startBuilder(parent, go, directory);
  await waitUntil({ what: 'the first build', ...soon }, async () => buildRecords(go).length === 1 || undefined);
  const second = build(['kubectl', 'kubelet']);
  const waits = async (): Promise<true | undefined> =>
    said.includes(`kubernetes 1.37.1: process ${String(builder.pid)} is at it already, waiting for it`) || undefined;
  await waitUntil({ what: 'a word of waiting', ...soon }, waits);
  const ended = once(builder, 'exit');
  writeFileSync(gate, '');
  t.same(await ended, [0, null]);
  await second;
  t.equal(buildRecords(go).length, 1);
  t.same(readdirSync(directory).sort(), ['kubectl', 'kubelet']);
});

function prepareBuild(
  parent: string,
  script: string,
): { directory: string; go: FakeGo; said: string[]; build: (names: readonly ProgramName[]) => Promise<void> } {
  const directory = join(parent, 'cache', 'kubernetes');
  const go = makeFakeGo(parent, { ...fake, build: script });
  const said: string[] = [];
  const options = { go: go.file, directory, progressEveryMs: 50, say: (line: string) => void said.push(line) };
  return { directory, go, said, build: (names) => buildPrograms(kubernetes, names, options) };
}

function buildRecords({ record }: FakeGo): readonly string[] {
  return readFileSync(record, 'utf8').split('\n').filter(Boolean);
}

/** In a process of its own. */
function startBuilder(parent: string, go: FakeGo, directory: string): ReturnType<typeof spawn> {
  const here = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const script = join(parent, 'builder.ts');
  writeFileSync(
    script,
    `import { buildPrograms } from ${here('../../../build/go-programs/build-programs.ts')};
     import { moduleOf } from ${here('programs.ts')};
     const options = { go: ${JSON.stringify(go.file)}, directory: ${JSON.stringify(directory)}, progressEveryMs: 50, say: () => {} };
     await buildPrograms(moduleOf('kubectl'), ['kubectl', 'kubelet'], options);`,
  );
  return spawn(process.execPath, [script], { stdio: 'inherit' });
}
