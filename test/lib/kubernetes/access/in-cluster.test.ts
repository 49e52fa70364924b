import { writeFileSync } from 'node:fs';
import t from 'tap';
import { inClusterAccess } from '../../../../lib/kubernetes/access/in-cluster.ts';

const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

await t.test('address, token and authorities; each as it is now', async (t) => {
  const directory = t.testdir({ token: 'first\n', 'ca.crt': 'authority 1' });
  const access = inClusterAccess(env, directory);
  const before = await access.current();
  t.equal(before.server.href, 'https://10.96.0.1/');
  t.equal(before.token?.reveal(), 'first');
  t.equal(before.authorities, 'authority 1');
  t.equal(await access.current(), before, 'the same as long as nothing changed');
  writeFileSync(`${directory}/token`, 'second');
  const after = await access.current();
  t.equal(after.token?.reveal(), 'second');
  writeFileSync(`${directory}/ca.crt`, 'authorities 1 and 2');
  t.equal((await access.current()).authorities, 'authorities 1 and 2');
});

await t.test('IPv6', async (t) => {
  const directory = t.testdir({ token: 'x', 'ca.crt': 'y' });
  const access = inClusterAccess({ ...env, KUBERNETES_SERVICE_HOST: 'fd00:10:96::1' }, directory);
  t.equal((await access.current()).server.href, 'https://[fd00:10:96::1]/');
});

await t.test('not in a cluster', (t) => {
  for (const incomplete of [{}, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, { KUBERNETES_SERVICE_PORT: '443' }]) {
    t.throws(() => inClusterAccess(incomplete, '/'), {
      name: 'Failure',
      kind: 'misconfigured',
      remedy: /--kubeconfig/,
    });
  }
  t.end();
});

await t.test('a pod without a service account', async (t) => {
  const access = inClusterAccess(env, t.testdir({ 'ca.crt': 'y' }));
  await t.rejects(async () => access.current(), { kind: 'misconfigured', message: /token cannot be read/ });
});
