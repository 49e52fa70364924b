import t from 'tap';
import { readTokenFile } from '../../lib/token-file.ts';
import { fakeHost } from '../clouds/fake-host.ts';

const host = fakeHost({ '/token': ' signed \n', '/empty': ' \n' });

await t.test('the token is returned without the white space around it', async (t) => {
  t.equal((await readTokenFile('/token', host, 'x')).reveal(), 'signed');
});

await t.test('a file that is absent or empty is a failure with the remedy of the caller', async (t) => {
  for (const path of ['/none', '/empty']) {
    const expected = { kind: 'misconfigured', message: `there is no token in ${path}`, remedy: 'write it' };
    await t.rejects(readTokenFile(path, host, 'write it'), expected);
  }
});
