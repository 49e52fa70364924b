import t from 'tap';
import { parseExecCredential, runExecPlugin } from '../../../../lib/kubernetes/access/exec-credential.ts';
import type { ExecSettings } from '../../../../lib/kubernetes/access/kubeconfig-settings.ts';

const apiVersion = 'client.authentication.k8s.io/v1';

function settingsFor(script: string): ExecSettings {
  const args = ['-c', script, 'plugin', 'an argument'];
  return { apiVersion, command: '/bin/sh', args, env: [{ name: 'OWN', value: 'own' }], providesClusterInfo: false };
}

const answer = (status: object): string => JSON.stringify({ apiVersion, kind: 'ExecCredential', status });

await t.test('a plugin gets arguments, environment and its task, and nothing on standard input', async (t) => {
  const script = `test "$(cat)" = "" && test "$1" = "an argument" && test "$OWN-$HERS" = own-hers &&
    echo "$KUBERNETES_EXEC_INFO" | grep -q '"spec":{"interactive":false}' &&
    echo "$KUBERNETES_EXEC_INFO" | grep -q '"apiVersion":"${apiVersion}","kind":"ExecCredential"' &&
    printf '%s' '${answer({ token: 'abc', expirationTimestamp: '2026-11-18T13:00:00Z' })}'`;
  const env = { HERS: 'hers', PATH: process.env['PATH'] };
  const credential = await runExecPlugin(settingsFor(script), { interactive: false }, env);
  t.equal(credential.token?.reveal(), 'abc');
  t.equal(credential.expiresAtMs, Date.parse('2026-11-18T13:00:00Z'));
});

await t.test('the output of a failing plugin is not quoted', async (t) => {
  const script = 'echo hidden-word; echo hidden-word >&2; exit 7';
  const error = await runExecPlugin(settingsFor(script), {}, {}).catch((thrown: unknown) => thrown);
  t.match(error, { name: 'Failure', kind: 'unavailable', message: 'credential plugin /bin/sh failed (7)' });
  t.equal((error as Error).cause, undefined);
});

await t.test('a plugin that is not there', async (t) => {
  const settings = { ...settingsFor(''), command: 'polycloud-no-such-plugin' };
  await t.rejects(runExecPlugin(settings, {}, {}), { message: /failed \(ENOENT\)/, remedy: /install it/ });
});

await t.test('a client certificate', (t) => {
  const output = answer({ clientCertificateData: 'certificate', clientKeyData: 'hidden-word' });
  const credential = parseExecCredential(output, settingsFor(''));
  t.equal(credential.client?.certificate, 'certificate');
  t.equal(credential.client?.key.reveal(), 'hidden-word');
  t.notMatch(JSON.stringify(credential), /hidden-word/);
  t.end();
});

const unusable = [
  '',
  'hidden-word',
  '{}',
  answer({}),
  answer({ clientCertificateData: 'hidden-word' }),
  answer({ token: '' }),
  JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    kind: 'ExecCredential',
    status: { token: 'x' },
  }),
];
for (const output of unusable) {
  await t.test(`unusable: ${output}`, (t) => {
    t.throws(() => parseExecCredential(output, settingsFor('')), { kind: 'unavailable', message: /^[^h]*credential/ });
    t.end();
  });
}
