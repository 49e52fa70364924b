import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { parseKubeconfig } from '../../../../lib/kubernetes/access/parse-kubeconfig.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const data = Buffer.from(pem).toString('base64');
const path = '/etc/kubernetes/admin.conf';

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
}

/** JSON is YAML too. */
function kubeconfig({ cluster, user }: Parts): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [
      { name: 'elsewhere', context: { cluster: 'x', user: 'x' } },
      { name: 'here', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [
      { name: 'odd', user: { exec: 7, token: [] } },
      { name: 'u', user: { ...user } },
    ],
  });
}

const read = (parts: Parts): unknown => parseKubeconfig(kubeconfig(parts), path);

await t.test('certificates inside the file', (t) => {
  const settings = parseKubeconfig(
    kubeconfig({
      cluster: { 'certificate-authority-data': data, 'tls-server-name': 'kubernetes' },
      user: { 'client-certificate-data': data, 'client-key-data': data },
    }),
    path,
  );
  t.equal(settings.server.href, 'https://10.0.0.1:6443/');
  t.equal(settings.serverName, 'kubernetes');
  for (const source of [settings.authorities, settings.certificate, settings.key]) {
    t.equal(source !== undefined && 'text' in source ? source.text.reveal() : '', pem);
  }
  t.notMatch(JSON.stringify(settings), /AAAA/, 'none of which can be printed');
  t.end();
});

await t.test("paths are relative to the kubeconfig's directory; data goes before a file", (t) => {
  t.match(
    read({
      cluster: { 'certificate-authority': 'pki/ca.crt' },
      user: { 'client-certificate': '/x/a.crt', 'client-key': '../a.key', tokenFile: 'token', token: 'unused' },
    }),
    {
      authorities: { file: '/etc/kubernetes/pki/ca.crt' },
      certificate: { file: '/x/a.crt' },
      key: { file: '/etc/a.key' },
      token: { file: '/etc/kubernetes/token' },
    },
  );
  const both = { 'certificate-authority': 'a', 'certificate-authority-data': data };
  t.notMatch(read({ cluster: both }), { authorities: { file: String } });
  t.end();
});

await t.test('exec', (t) => {
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'aws',
    args: ['eks', 'get-token'],
    env: [{ name: 'AWS_PROFILE', value: 'ops' }],
    interactiveMode: 'IfAvailable',
    installHint: 'install it',
  };
  t.match(read({ user: { exec } }), { exec: { command: 'aws', args: ['eks', 'get-token'], env: exec.env } });
  t.match(read({ user: { exec: { ...exec, command: './token.sh', args: null, env: null } } }), {
    exec: { command: '/etc/kubernetes/token.sh', args: [], env: [] },
  });
  t.end();
});

const refused: Readonly<Record<string, Parts>> = {
  'has insecure-skip-tls-verify': { cluster: { 'insecure-skip-tls-verify': true } },
  'has proxy-url': { cluster: { 'proxy-url': 'http://proxy:3128' } },
  'has a user name and password': { user: { username: 'admin', password: 'hidden-word' } },
  'has an auth-provider': { user: { 'auth-provider': { name: 'gcp' } } },
  'impersonates another user': { user: { as: 'admin' } },
  'wants a terminal': {
    user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Always' } },
  },
  'without TLS that is not on this machine': { cluster: { server: 'http://10.0.0.1:8080' } },
  'no https address': { cluster: { server: '10.0.0.1:6443' } },
  'client certificate or a client key without the other': { user: { 'client-key-data': data } },
  'has a client-key-data that is no PEM in base64': {
    user: { 'client-certificate-data': data, 'client-key-data': 'hidden-word' },
  },
  'has no usable value at token': { user: { token: ['hidden-word'] } },
  'has no usable value at exec.apiVersion': {
    user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' } },
  },
  'has no usable value at exec.command': { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1' } } },
};

for (const [says, parts] of Object.entries(refused)) {
  await t.test(`refused: ${says}`, (t) => {
    let error: unknown;
    try {
      read(parts);
    } catch (thrown) {
      error = thrown;
    }
    t.match(error, { name: 'Failure', kind: 'misconfigured', message: /^kubeconfig \/etc\/kubernetes\/admin\.conf / });
    t.match(error, { message: new RegExp(says.replaceAll('.', '\\.')) });
    t.notMatch(String(error), /hidden-word/);
    t.end();
  });
}

await t.test('http is for this machine only, and insecure-skip-tls-verify: false is nothing', (t) => {
  for (const server of ['http://127.0.0.1:8001', 'http://[::1]:8001', 'http://localhost:8001/']) {
    t.doesNotThrow(() => read({ cluster: { server, 'insecure-skip-tls-verify': false } }), server);
  }
  t.end();
});

const broken: Readonly<Record<string, string>> = {
  'is not YAML': '{ hidden-word',
  'is not YAML$': 'contexts: *hidden-word',
  'has no usable value at the file': '- a list',
  'has no usable value at contexts': 'contexts: hidden-word',
  'has no current-context': 'apiVersion: v1',
  'has no context "a"': 'current-context: a',
  'has no cluster "b"': 'current-context: a\ncontexts: [{name: a, context: {cluster: b, user: c}}]',
  'has no user "c"':
    'current-context: a\ncontexts: [{name: a, context: {cluster: b, user: c}}]\nclusters: [{name: b, cluster: {server: "https://x"}}]',
};
for (const [says, text] of Object.entries(broken)) {
  await t.test(`broken: ${says}`, (t) => {
    t.throws(() => parseKubeconfig(text, path), { kind: 'misconfigured', message: new RegExp(says) });
    t.end();
  });
}

await t.test('nothing is quoted in a warning', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  t.throws(() => parseKubeconfig('? { token: hidden-word }\n: !unknown hidden-word\n', path), {
    name: 'Failure',
    kind: 'misconfigured',
  });
  await setImmediate();
  t.strictSame(warnings, []);
});
