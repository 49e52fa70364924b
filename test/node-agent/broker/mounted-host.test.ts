import { symlink, writeFile } from 'node:fs/promises';
import t from 'tap';
import { realHost } from '../../../lib/host.ts';
import { Declined } from '../../../node-agent/broker/declined.ts';
import { mountedHost } from '../../../node-agent/broker/mounted-host.ts';

await t.test('a link that leads out of what is mounted is no absent file', async (t) => {
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
