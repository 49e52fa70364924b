import t from 'tap';
import { Declined } from '../../../node-agent/broker/declined.ts';
import { frontEndHost } from '../../../node-agent/broker/front-end-host.ts';

await t.test('what was missing once is not missing for ever', async (t) => {
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
