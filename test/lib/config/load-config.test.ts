import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { realHost } from '../../../lib/host.ts';
import type { Host } from '../../../lib/host.ts';
import { fakeHost } from '../../clouds/fake-host.ts';

const defaultConfigFile = '/etc/polycloud/config.yaml';

await t.test('without a file the defaults apply', async (t) => {
  const asked: string[] = [];
  const host: Host = { ...fakeHost({}), readText: async (path) => void asked.push(path) };
  const config = await loadConfig(undefined, host, []);
  t.strictSame(asked, [defaultConfigFile]);
  t.strictSame(config.registries, []);
  t.strictSame(config.aws.roleAnnotations, ['eks.amazonaws.com/ecr-role-arn', 'eks.amazonaws.com/role-arn']);
});

await t.test('the default file is read', async (t) => {
  const host = fakeHost({ [defaultConfigFile]: 'caFile: /ca.pem' });
  t.equal((await loadConfig(undefined, host, [])).caFile, '/ca.pem');
});

await t.test('the file of --config is read instead', async (t) => {
  const host = fakeHost({ [defaultConfigFile]: 'caFile: /usual.pem', '/own.yaml': 'caFile: /own.pem' });
  t.equal((await loadConfig('/own.yaml', host, [])).caFile, '/own.pem');
});

await t.test('a missing file of --config is an error, even if the default file exists', async (t) => {
  const host = fakeHost({ [defaultConfigFile]: 'caFile: /usual.pem' });
  await t.rejects(loadConfig('/own.yaml', host, []), {
    kind: 'misconfigured',
    message: 'configuration file /own.yaml does not exist',
    remedy: /--config/,
  });
});

await t.test('an error in the default file names the file', async (t) => {
  const host = fakeHost({ [defaultConfigFile]: 'bogus: 1' });
  await t.rejects(loadConfig(undefined, host, []), {
    kind: 'misconfigured',
    message: `configuration file ${defaultConfigFile}, line 1`,
  });
});

await t.test('a file is read, and an unreadable file is an error', async (t) => {
  const directory = t.testdir({ 'config.yaml': 'caFile: /real.pem', folder: {} });
  t.equal((await loadConfig(join(directory, 'config.yaml'), realHost, [])).caFile, '/real.pem');
  symlinkSync(join(directory, 'gone.yaml'), join(directory, 'link.yaml'));
  await t.rejects(loadConfig(join(directory, 'link.yaml'), realHost, []), {
    kind: 'misconfigured',
    message: /link\.yaml is a link without a target$/,
  });
  await t.rejects(loadConfig(join(directory, 'folder'), realHost, []), {
    kind: 'misconfigured',
    message: /is not a regular file/,
  });
});
