import { writeFileSync } from 'node:fs';
import t from 'tap';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';

const environment = {
  env: { PATH: process.env['PATH'] },
  clock: createFakeClock(Date.parse('2026-11-18T12:00:00Z')),
};

function kubeconfig(user: object, server: string): string {
  return JSON.stringify({
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user }],
  });
}

await t.test('a token file, and the kubeconfig itself, are read as they are now', async (t) => {
  const directory = t.testdir({ config: kubeconfig({ tokenFile: 'token' }, 'https://one'), token: 'first' });
  const access = kubeconfigAccess(`${directory}/config`, environment);
  const before = await access.current();
  t.equal(before.token?.reveal(), 'first');
  t.equal(await access.current(), before);
  writeFileSync(`${directory}/token`, 'second');
  t.equal((await access.current()).token?.reveal(), 'second');
  writeFileSync(`${directory}/config`, '{ half wri');
  t.equal((await access.current()).server.hostname, 'one', 'half written: the last good one');
  writeFileSync(`${directory}/config`, kubeconfig({ token: 'third' }, 'https://two'));
  const after = await access.current();
  t.strictSame([after.server.hostname, after.token?.reveal()], ['two', 'third']);
});

await t.test('a file that never was right is a failure each time, until it is', async (t) => {
  const directory = t.testdir({ config: '{ half wri' });
  const access = kubeconfigAccess(`${directory}/config`, environment);
  await t.rejects(async () => access.current(), { kind: 'misconfigured', message: /is not YAML/ });
  writeFileSync(`${directory}/config`, kubeconfig({ token: 'x' }, 'https://one'));
  t.equal((await access.current()).token?.reveal(), 'x');
});

await t.test('a plugin runs again only for a credential that was refused', async (t) => {
  const script = `printf x >> runs; printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",
    "status":{"token":"token %s"}}' "$(wc -c < runs | tr -d ' ')"`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/bin/sh',
    provideClusterInfo: true,
  };
  const directory = t.testdir({ config: '' });
  const args = ['-c', `cd '${directory}' && ${script}`];
  writeFileSync(`${directory}/config`, kubeconfig({ exec: { ...exec, args } }, 'https://one'));
  const access = kubeconfigAccess(`${directory}/config`, environment);
  const before = await access.current();
  t.equal(before.token?.reveal(), 'token 1');
  t.equal(await access.current(), before);
  access.invalidate(before);
  const after = await access.current();
  t.equal(after.token?.reveal(), 'token 2');
  access.invalidate(before);
  t.equal(await access.current(), after, 'an old refusal says nothing of the new one');
});
