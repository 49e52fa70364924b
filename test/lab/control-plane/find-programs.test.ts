import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { buildsAtOnce, makeFakeGo } from './fake-go.ts';
import { findPrograms, preparePrograms } from './find-programs.ts';
import { programNames } from './programs.ts';

await t.test('programs of the right version are taken from KUBEBUILDER_ASSETS, and that is logged', async (t) => {
  const { assets } = createTestMachine(t, { PATH: '/nowhere' });
  for (const name of programNames) {
    putProgram(assets, name, name === 'etcd' ? 'etcd Version: 3.7.9' : 'Kubernetes v1.37.1');
  }
  const found = await findPrograms();
  t.ok(found.available);
  t.equal(found.programs.kubelet, join(assets, 'kubelet'));
  const said: string[] = [];
  t.ok((await preparePrograms((line) => void said.push(line))).available);
  t.same(said.sort(), programNames.map((name) => `${name}: ${join(assets, name)}`).sort());
});

await t.test('those of another version are not used, and their version is logged', async (t) => {
  const { assets, cache } = createTestMachine(t, {});
  putProgram(assets, 'kube-apiserver', 'Kubernetes v1.36.2');
  putProgram(assets, 'kubectl', 'Client Version: v1.37.1');
  putProgram(assets, 'etcd', 'I am not etcd');
  const said: string[] = [];
  const found = await preparePrograms((line) => void said.push(line));
  t.ok(found.available);
  t.equal(found.programs.kubectl, join(assets, 'kubectl'));
  t.equal(
    found.programs['kube-apiserver'],
    join(cache, 'polycloud/kubernetes-1.37.1', `linux-${process.arch}`, 'kube-apiserver'),
  );
  t.ok(said.includes(`not used: ${join(assets, 'kube-apiserver')} is 1.36.2, and has to be 1.37.1`));
  t.ok(said.includes(`not used: ${join(assets, 'etcd')} does not tell its version, which has to be 3.7.3`));
});

await t.test('without Go and without a cache it names what is missing, and nothing is skipped silently', async (t) => {
  createTestMachine(t, { version: 'go1.23.9' });
  for (const found of [await findPrograms(), await preparePrograms(() => undefined)]) {
    t.match(found, { available: false, reason: /Go 1.24 or later to build etcd 3.7.3 and kubernetes 1.37.1 once/ });
    t.match(found, { reason: /go is go1.23.9\), or a directory with etcd, .*kubelet in KUBEBUILDER_ASSETS/ });
  }
});

await t.test('with Go, but not built yet, it names the command that builds it', async (t) => {
  createTestMachine(t, {});
  const found = await findPrograms();
  t.match(found, { available: false, reason: /missing: `npm test` builds them once/ });
});

await t.test('they are built once and found from then on', async (t) => {
  const { cache } = createTestMachine(t, {});
  const said: string[] = [];
  t.ok((await preparePrograms((line) => void said.push(line))).available);
  t.ok(said.includes('etcd 3.7.3: building etcd'));
  const found = await findPrograms();
  t.ok(found.available);
  t.equal(found.programs.etcd, join(cache, 'polycloud/etcd-3.7.3', `linux-${process.arch}`, 'etcd'));
});

await t.test('a build that fails is no crash', async (t) => {
  createTestMachine(t, { build: 'echo broken >&2; exit 1' });
  const found = await preparePrograms(() => undefined);
  t.match(found, { available: false, reason: /could not be built: go build ended with exit code 1: broken/ });
});

interface TestMachine {
  readonly PATH?: string;
  readonly version?: string;
  readonly build?: string;
}

/** A cache and assets that are empty, and a Go command of ours. */
function createTestMachine(t: Test, { PATH, version, build }: TestMachine): { assets: string; cache: string } {
  const directory = t.testdir({ assets: {}, cache: {} });
  const go = makeFakeGo(directory, { version: version ?? 'go1.26.8', build: build ?? buildsAtOnce });
  const assets = join(directory, 'assets');
  const cache = join(directory, 'cache');
  const path = PATH ?? `${go.directory}:${process.env['PATH'] ?? ''}`;
  t.intercept(process, 'env', {
    value: { ...process.env, PATH: path, KUBEBUILDER_ASSETS: assets, XDG_CACHE_HOME: cache },
  });
  return { assets, cache };
}

function putProgram(directory: string, name: string, says: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), `#!/bin/sh\necho '${says}'\n`);
  chmodSync(join(directory, name), 0o755);
}
