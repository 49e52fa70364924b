import { symlink, writeFile } from 'node:fs/promises';
import t from 'tap';
import { realHost } from '../../../lib/host.ts';
import { Declined } from '../../../node-agent/broker/declined.ts';
import { frontEndHost, mountedHost } from '../../../node-agent/broker/host-views.ts';

await t.test('a file that was missing once can be read later', async (t) => {
  const files: Record<string, string> = {};
  const { host, checkComplete } = frontEndHost({
    homeDirectory: '/root',
    readText: async (path) => files[path],
    runCommand: async () => Promise.reject(new Error('nothing is run here')),
  });
  const file = '/etc/polycloud/token';
  await t.rejects(host.readText(file), Declined);
  t.throws(checkComplete, { message: `only the host itself has ${file}` });
  files[file] = 'text';
  t.equal(await host.readText(file), 'text');
  checkComplete();
  await t.rejects(host.readText('/var/lib/other'), Declined);
  t.throws(checkComplete, Declined);
});

await t.test('a link that leads out of the mounts is not an absent file', async (t) => {
  const directory = t.testdir();
  const at = (name: string): string => `${directory}/${name}`;
  await writeFile(at('file'), 'text');
  await symlink('file', at('inside'));
  await symlink('/nowhere/config.yaml', at('outside'));
  const { readText } = mountedHost(realHost);
  t.equal(await readText(at('file')), 'text');
  t.equal(await readText(at('inside')), 'text');
  t.equal(await readText(at('absent')), undefined);
  await t.rejects(readText(at('outside')), Declined);
});
