import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { lintConfig } from '../../../lib/kubelet-config/lint.ts';
import { corpus } from './corpus.ts';
import { pluginNames, writeCase, writePlugins } from './write-case.ts';

const directory = mkdtempSync(join(tmpdir(), 'polycloud-lint-'));
t.teardown(() => rmSync(directory, { recursive: true }));
const binDirectory = writePlugins(join(directory, 'bin'), pluginNames);

for (const [index, config] of corpus.entries()) {
  await t.test(`${config.starts ? 'good' : 'bad'}: ${config.name}`, async (t) => {
    const path = writeCase(join(directory, String(index)), config);
    const errors = lintConfig(path, { binDirectory }).filter(({ severity }) => severity === 'error');
    t.equal(errors.length === 0, config.starts, JSON.stringify(errors));
    t.ok(errors.every(({ what, remedy }) => what !== '' && remedy !== ''));
  });
}
