import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { applyChanges, restoreFiles } from '../../../node-agent/install/change-files.ts';
import type { FileChange } from '../../../node-agent/install/file-change.ts';
import { openHostRoot } from '../../../node-agent/install/host-root.ts';
import type { HostRoot } from '../../../node-agent/install/host-root.ts';

const installed: Readonly<Record<string, string>> = {
  'etc/config.yaml': 'ours\n 644',
  'opt/bin/link': '-> program',
  'opt/bin/program': 'program 755',
  'opt/bin/vendor': '-> program',
};

await t.test('files and links are put in place, and a second time changes nothing', (t) => {
  const { root, host, changes } = start(t);
  t.strictSame(
    applyChanges(host, changes),
    changes.map(({ path }) => path),
  );
  t.strictSame(describe(root), installed);
  t.strictSame(applyChanges(host, changes), []);
  chmodSync(join(root, 'opt/bin/program'), 0o644);
  t.strictSame(applyChanges(host, changes), ['/opt/bin/program'], 'a wrong mode is corrected');
  t.end();
});

await t.test('what was there before comes back', (t) => {
  const { root, host, changes } = start(t);
  const before = describe(root);
  applyChanges(host, changes);
  applyChanges(host, [{ kind: 'text', path: '/etc/config.yaml', text: 'newer\n', mode: 0o644 }]);
  t.match(restoreFiles(host), { left: [] });
  t.strictSame(describe(root), before);
  t.strictSame(restoreFiles(host), { restored: [], left: [] }, 'a second time does nothing');
  t.end();
});

await t.test('a file that somebody has changed since is left as it is', (t) => {
  const { root, host, changes } = start(t);
  applyChanges(host, changes);
  writeFileSync(join(root, 'etc/config.yaml'), 'by hand\n');
  t.strictSame(restoreFiles(host).left, ['/etc/config.yaml']);
  t.equal(readFileSync(join(root, 'etc/config.yaml'), 'utf8'), 'by hand\n');
  t.notOk(existsSync(join(root, 'opt/bin/program')));
  t.end();
});

await t.test('a newer program of the vendor comes back, not the one of the first installation', (t) => {
  const { root, host, changes } = start(t);
  applyChanges(host, changes);
  const vendor = join(root, 'opt/bin/vendor');
  rmSync(vendor);
  writeFileSync(vendor, 'newer vendor program');
  applyChanges(host, changes);
  t.equal(readlinkSync(vendor), 'program');
  restoreFiles(host);
  t.equal(readFileSync(vendor, 'utf8'), 'newer vendor program');
  t.end();
});

await t.test('killed while it replaces its own file, it still knows the old one as its own', (t) => {
  for (const at of [1, 2]) {
    const { root, host, changes } = start(t);
    const before = describe(root);
    applyChanges(host, changes);
    const newer: FileChange = { kind: 'text', path: '/etc/config.yaml', text: 'newer\n', mode: 0o644 };
    t.notOk(killedAtRename(at, () => applyChanges(host, [newer])));
    t.match(restoreFiles(host), { left: [] });
    t.strictSame(describe(root), before);
  }
  t.end();
});

await t.test('a file that could not be written leaves nothing behind', (t) => {
  const { root, host } = start(t);
  const copy: FileChange = { kind: 'copy', path: '/opt/bin/program', source: join(root, 'source'), mode: 0o755 };
  const { chmodSync: chmod } = fs;
  fs.chmodSync = () => {
    throw new Error('no space');
  };
  syncBuiltinESMExports();
  try {
    t.throws(() => applyChanges(host, [copy]), { message: 'no space' });
  } finally {
    fs.chmodSync = chmod;
    syncBuiltinESMExports();
  }
  t.strictSame(readdirSync(join(root, 'opt/bin')), ['vendor']);
  t.end();
});

await t.test('killed at any point, each file is old or new, and both ways go on from there', (t) => {
  for (let at = 1; ; at++) {
    const { root, host, changes } = start(t);
    const before = describe(root);
    const isComplete = killedAtRename(at, () => applyChanges(host, changes));
    for (const [path, content] of Object.entries(describe(root))) {
      t.ok([before[path], installed[path]].includes(content), `${path} after rename ${String(at)}`);
    }
    const again = start(t, root);
    applyChanges(again.host, changes);
    t.strictSame(describe(root), installed, `installed again after rename ${String(at)}`);
    killedAtRename(2, () => restoreFiles(host));
    restoreFiles(host);
    t.strictSame(describe(root), before, `restored after rename ${String(at)}`);
    if (isComplete) break;
  }
  t.end();
});

await t.test('what is neither a file nor a link is refused before anything is changed', (t) => {
  const { root, host, changes } = start(t);
  const before = describe(root);
  const folder: FileChange = { kind: 'text', path: '/etc', text: '', mode: 0o644 };
  t.throws(() => applyChanges(host, [...changes, folder]), { message: '/etc is neither a file nor a link' });
  t.strictSame(describe(root), before);
  t.end();
});

await t.test('a record that cannot be read stops everything', (t) => {
  const { root, host, changes } = start(t);
  applyChanges(host, changes);
  writeFileSync(join(root, 'var/lib/polycloud/install/files.json'), '{"files":');
  const newer: FileChange = { kind: 'text', path: '/etc/config.yaml', text: 'x', mode: 0o644 };
  t.throws(() => applyChanges(host, [newer]), { message: /is not the record/ });
  t.throws(() => restoreFiles(host), { message: /is not the record/ });
  t.end();
});

function start(
  t: Test,
  existing?: string,
): { readonly root: string; readonly host: HostRoot; readonly changes: readonly FileChange[] } {
  const root =
    existing ??
    t.testdir({ etc: { 'config.yaml': 'theirs\n' }, opt: { bin: { vendor: 'vendor program' } }, source: 'program' });
  if (existing === undefined) chmodSync(join(root, 'opt/bin/vendor'), 0o755);
  const changes: readonly FileChange[] = [
    { kind: 'copy', path: '/opt/bin/program', source: join(root, 'source'), mode: 0o755 },
    { kind: 'text', path: '/etc/config.yaml', text: 'ours\n', mode: 0o644 },
    { kind: 'link', path: '/opt/bin/link', target: 'program' },
    { kind: 'link', path: '/opt/bin/vendor', target: 'program' },
  ];
  return { root, host: openHostRoot(root), changes };
}

/** Content and mode of the files that matter, by path. */
function describe(root: string): Readonly<Record<string, string>> {
  const paths = ['etc', 'opt/bin'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  const kept = paths.filter((path) => !path.endsWith('.polycloud-unfinished'));
  return Object.fromEntries(kept.toSorted().map((path) => [path, describeFile(join(root, path))]));
}

function describeFile(file: string): string {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  return `${readFileSync(file, 'utf8')} ${(stats.mode & 0o777).toString(8)}`;
}

/** Runs until the given rename, and stops there as a killed process does. `true`: it came to its end. */
function killedAtRename(count: number, work: () => unknown): boolean {
  const { renameSync } = fs;
  let renames = 0;
  fs.renameSync = (...paths) => {
    renames += 1;
    if (renames === count) throw new Error('killed');
    renameSync(...paths);
  };
  syncBuiltinESMExports();
  try {
    work();
    return true;
  } catch (error) {
    if ((error as Error).message !== 'killed') throw error;
    return false;
  } finally {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  }
}
