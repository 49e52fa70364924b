import { generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { formatChecksums, hashFiles } from '../../../build/release/checksums.ts';
import { signFile } from '../../../build/release/sign.ts';
import { runOrThrow } from '../../../build/run.ts';

await t.test('sha256sum accepts the checksums, and finds a changed file', async (t) => {
  const directory = t.testdir({ 'b.txt': 'two', 'a.txt': 'one' });
  writeFileSync(join(directory, 'SUMS'), formatChecksums(await hashFiles(directory, ['b.txt', 'a.txt'])));
  const check = (): Promise<string> =>
    runOrThrow('sha256sum', ['--check', 'SUMS'], { cwd: directory, env: { ...process.env, LC_ALL: 'C' }, stdin: '' });
  t.equal(await check(), 'a.txt: OK\nb.txt: OK\n');
  writeFileSync(join(directory, 'a.txt'), 'changed');
  await t.rejects(check(), /a\.txt: FAILED|did NOT match/);
});

await t.test('a signature is good for the file and no other', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const directory = t.testdir({ file: 'content', key: privateKey.export({ type: 'pkcs8', format: 'pem' }) });
  const file = join(directory, 'file');
  const signature = Buffer.from(await signFile(file, join(directory, 'key')), 'base64');
  t.ok(verify('sha256', readFileSync(file), publicKey, signature));
  t.notOk(verify('sha256', Buffer.from('other'), publicKey, signature));
});

await t.test('another kind of key is refused with a hint, and never shown', async (t) => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const directory = t.testdir({ file: 'content', 'ed25519.pem': pem, 'broken.pem': pem.slice(0, 60) });
  for (const name of ['ed25519.pem', 'broken.pem']) {
    const failure = await signFile(join(directory, 'file'), join(directory, name)).catch((error: unknown) => error);
    t.match(failure, { message: /(?:not an ECDSA key|not an unencrypted private key).*hint: `openssl ecparam/ });
    t.notMatch(String(failure), pem.split('\n')[1]);
  }
});
