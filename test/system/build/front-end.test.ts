import { chmod, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { architectures, hostArchitecture } from '../../../build/architecture.ts';
import { commandPrefix } from '../../../build/executables/emulation.ts';
import { findCompiler } from '../../../build/executables/compiler.ts';
import { makeFrontEnd } from '../../../build/executables/front-end.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import { machines, readElfHeader } from './elf-header.ts';

const mostBytes = 8 * 1024;

for (const arch of architectures) {
  const prefix = commandPrefix(arch);
  const missing = findCompiler(arch) === undefined && `no C compiler for ${arch}`;
  await t.test(`the front end for ${arch}`, { skip: missing }, async (t) => {
    const said: string[] = [];
    const built = await makeFrontEnd(arch, (line) => void said.push(line));
    if (built === undefined) return;
    const bytes = await readFile(built.file);
    t.ok(bytes.length <= mostBytes, `${bytes.length} bytes`);
    t.strictSame(await readElfHeader(built.file), { machine: machines[arch] }, 'it needs no other file to run');
    t.strictSame(said, []);
  });

  await t.test(`the front end runs on ${arch}`, { skip: missing || (!prefix && `nothing runs ${arch}`) }, async (t) => {
    const built = await makeFrontEnd(arch, () => {});
    if (built === undefined || prefix === undefined) return;
    const alone = join(t.testdir(), 'front-end');
    await copyFile(built.file, alone);
    const [command, ...args] = [...prefix, alone];
    const result = await runCommand(command, args, { env: { AWS_REGION: 'x' }, input: '{}', timeoutMs: 10_000 });
    t.match(result, {
      code: 1,
      stdout: '',
      stderr: /polycloud-credential-provider-full cannot be started; hint: /,
    });
  });
}

const noCompiler = findCompiler(hostArchitecture()) === undefined && 'no C compiler';
await t.test('the front end, and what it starts, leave no core dump', { skip: noCompiler }, async (t) => {
  const built = await makeFrontEnd(hostArchitecture(), () => {});
  const directory = t.testdir({ 'polycloud-credential-provider-full': '#!/bin/sh\nulimit -c\n' });
  const file = join(directory, 'front-end');
  await copyFile(built?.file ?? '', file);
  await chmod(join(directory, 'polycloud-credential-provider-full'), 0o755);
  const args = ['-c', 'ulimit -c $(ulimit -Hc); exec "$0"', file];
  t.match(await runCommand('sh', args, { env: { AWS_REGION: 'x' }, input: '{}', timeoutMs: 10_000 }), {
    stdout: '0\n',
  });
});

await t.test('without a compiler the build reports it and goes on', async (t) => {
  const { PATH } = process.env;
  t.teardown(() => Object.assign(process.env, { PATH }));
  process.env['PATH'] = t.testdir();
  const said: string[] = [];
  t.equal(await makeFrontEnd('arm64', (line) => void said.push(line)), undefined);
  t.match(said, [/^arm64: no front end, since there is no compiler; hint: install gcc\S* \(Debian\)$/]);
});
