import { createSecureContext } from 'node:tls';
import t from 'tap';
import { parseCommandLine } from '../../../lib/command-line/command-line.ts';
import { Failure } from '../../../lib/failure.ts';
import { readServing, servingOptions } from '../../../lib/server/settings.ts';
import type { ServingSettings } from '../../../lib/server/settings.ts';

const defaults = { port: 10_258, certificateName: 'cloud-controller-manager' };

await t.test('defaults', (t) => {
  const settings = { port: 10_258, certificate: { kind: 'memory' }, tls: { minVersion: 'TLSv1.2' } };
  t.strictSame(read([]), settings);
  t.strictSame(read(['--bind-address=0.0.0.0']), settings);
  t.strictSame(read(['--bind-address', '::']), settings);
  t.end();
});

await t.test('all settings', (t) => {
  const tls = ['--tls-min-version=VersionTLS13', '--tls-cert-file=a.crt', '--tls-private-key-file=a.key'];
  t.strictSame(read(['--secure-port=0', '--bind-address=127.0.0.1', '--cert-dir=/ignored', ...tls]), {
    port: 0,
    address: '127.0.0.1',
    certificate: { kind: 'files', certFile: 'a.crt', keyFile: 'a.key' },
    tls: { minVersion: 'TLSv1.3' },
  });
  t.strictSame(read(['--cert-dir=/here']).certificate, {
    kind: 'directory',
    directory: '/here',
    name: defaults.certificateName,
  });
  t.end();
});

await t.test("Go's names of cipher suites are ones that OpenSSL knows, and TLS 1.3 keeps all of its own", (t) => {
  const all = /give some of (.*)$/.exec(remedyOf(() => read(['--tls-cipher-suites=bogus'])))?.[1] ?? '';
  t.ok(all.split(', ').length > 12);
  for (const name of all.split(', ')) {
    const { ciphers } = read([`--tls-cipher-suites=${name}`]).tls;
    t.match(ciphers, /^TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256/);
    t.ok(createSecureContext({ ciphers }), name);
  }
  const two = 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384';
  const { ciphers } = read([`--tls-cipher-suites=${two}`]).tls;
  t.match(ciphers, /:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384$/);
  t.end();
});

const mistakes: readonly (readonly [flag: string, message: RegExp])[] = [
  ['--bind-address=localhost', /no IP address/],
  ['--secure-port=65536', /--secure-port/],
  ['--tls-cert-file=a', /belong together/],
  ['--tls-private-key-file=a', /belong together/],
  ['--tls-min-version=VersionTLS10', /--tls-min-version/],
  ['--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA', /not safe/],
];

for (const [flag, message] of mistakes) {
  await t.test(`${flag} is refused`, (t) => {
    t.throws(() => read([flag]), { message });
    t.throws(() => read([flag]), Failure);
    t.end();
  });
}

function read(args: readonly string[]): ServingSettings {
  const line = parseCommandLine({ name: 'example', summary: '', options: servingOptions(defaults) }, args);
  if (line.kind !== 'run') throw new Error(line.kind);
  return readServing(line.options, defaults);
}

function remedyOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof Failure ? error.remedy : '';
  }
  return '';
}
