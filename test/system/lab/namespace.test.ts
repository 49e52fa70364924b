import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import t from 'tap';
import { createAuthority } from '../../lab/authority.ts';
import { requires } from '../../lab/requires.ts';
import { createNamespace } from '../../lab/network/namespace.ts';
import { uniqueName } from '../../lab/network/names.ts';
import { namespaceSupport } from '../../lab/network/support.ts';

await t.test('network namespaces', requires(await namespaceSupport()), async (t) => {
  const directory = t.testdir();
  const { certificateFile } = await createAuthority(directory);

  await t.test('one that cannot be finished leaves nothing', async (t) => {
    const name = uniqueName();
    const options = { name, addresses: ['not an address'], hosts: {}, trust: certificateFile };
    await t.rejects(createNamespace(options));
    t.notOk(isThere(name));
  });

  await t.test('one that is another’s is left alone', async (t) => {
    const options = { addresses: [], hosts: {}, trust: certificateFile };
    const first = await createNamespace(options);
    t.teardown(first.remove);
    await t.rejects(createNamespace({ ...options, name: first.name }), /File exists/);
    t.ok(isThere(first.name));
  });

  await t.test('nothing is left when its process ends without clearing up', async (t) => {
    const { child, name } = await startOwner(certificateFile);
    const ended = once(child, 'exit');
    child.stdin?.write('end');
    t.same(await ended, [0, null]);
    t.notOk(isThere(name));
  });

  await t.test('what a killed process left is removed by the next', async (t) => {
    const { child, name } = await startOwner(certificateFile);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    t.ok(isThere(name));
    const next = await createNamespace({ addresses: [], hosts: {}, trust: certificateFile });
    t.teardown(next.remove);
    t.notOk(isThere(name));
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    await t.test(`nothing is left when its process is ended by ${signal}`, async (t) => {
      const { child, name, pidInside } = await startOwner(certificateFile);
      t.ok(isThere(name) && existsSync(`/proc/${pidInside}`));
      const ended = once(child, 'exit');
      child.kill(signal);
      t.same(await ended, [null, signal]);
      t.notOk(isThere(name));
      t.ok(await hasEnded(pidInside), 'the process inside too');
    });
  }
});

interface Owner {
  readonly child: ChildProcess;
  readonly name: string;
  readonly pidInside: string;
}

/** A killed process may need a moment to be gone. */
async function hasEnded(pid: string): Promise<boolean> {
  const deadlineMs = performance.now() + 5000;
  while (existsSync(`/proc/${pid}`) && performance.now() < deadlineMs) await setImmediate();
  return !existsSync(`/proc/${pid}`);
}

/** A process that makes a namespace, with a process in it, and then lives on. */
async function startOwner(trust: string): Promise<Owner> {
  const script = `
    import { createNamespace } from '${new URL('../../lab/network/namespace.ts', import.meta.url).href}';
    const namespace = await createNamespace({ addresses: [], hosts: {}, trust: '${trust}' });
    const { pid } = namespace.start('/bin/sleep', ['60'], {});
    process.stdin.once('data', () => process.exit());
    console.log(namespace.name, pid);
  `;
  const args = ['--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const [name = '', pidInside = ''] = said.toString().trim().split(' ');
  return { child, name, pidInside };
}

function isThere(name: string): boolean {
  return existsSync(`/run/netns/${name}`) || existsSync(`/etc/netns/${name}`);
}
