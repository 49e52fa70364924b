import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import t from 'tap';
import { trustedCertificates, trustVariables } from '../../../lib/http/trust.ts';

const one = pem('one');
const two = pem('two');
const three = pem('three');
const directory = t.testdir({
  'bundle.pem': `${one}\n${two}`,
  'not-a-certificate': 'hello',
  store: { 'three.pem': three, README: 'no certificate', below: { 'four.pem': pem('four') } },
  more: { 'two.pem': two },
  empty: {},
});
const bundle = join(directory, 'bundle.pem');
const store = join(directory, 'store');
const more = join(directory, 'more');

await t.test('what the operator names is all that OpenSSL looks at', (t) => {
  t.strictSame(trustVariables({ SSL_CERT_FILE: bundle }), { SSL_CERT_FILE: bundle, SSL_CERT_DIR: '/dev/null' });
  t.strictSame(trustVariables({ SSL_CERT_DIR: store }), { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: store });
  t.strictSame(trustVariables({ SSL_CERT_FILE: bundle, SSL_CERT_DIR: store }), {
    SSL_CERT_FILE: bundle,
    SSL_CERT_DIR: store,
  });
  t.end();
});

await t.test('if the named file does not exist, no authority is trusted', (t) => {
  const missing = join(directory, 'missing.pem');
  t.strictSame(trustVariables({ SSL_CERT_FILE: missing }), { SSL_CERT_FILE: missing, SSL_CERT_DIR: '/dev/null' });
  t.strictSame(trustedCertificates({ SSL_CERT_FILE: missing }), []);
  t.strictSame(trustedCertificates({ SSL_CERT_DIR: join(directory, 'missing') }), []);
  t.end();
});

await t.test('empty variables are unset ones', (t) => {
  t.strictSame(trustVariables({ SSL_CERT_FILE: '', SSL_CERT_DIR: '' }), trustVariables({}));
  t.strictSame(trustedCertificates({ SSL_CERT_FILE: '', SSL_CERT_DIR: '' }), trustedCertificates({}));
  t.end();
});

await t.test('by default exactly one of the system stores is used', (t) => {
  const { SSL_CERT_FILE: file, SSL_CERT_DIR: folder } = trustVariables({ PATH: '/bin' });
  t.ok(existsSync(file));
  t.ok(existsSync(folder));
  t.ok(file === '/dev/null' || folder === '/dev/null');
  t.end();
});

await t.test('the certificates in hand are those of the file and of every directory', (t) => {
  t.strictSame(trustedCertificates({ SSL_CERT_FILE: bundle }), [`${one}\n${two}`]);
  t.strictSame(trustedCertificates({ SSL_CERT_DIR: store }), [three]);
  t.strictSame(trustedCertificates({ SSL_CERT_DIR: `${store}:${more}` }), [three, two]);
  t.strictSame(trustedCertificates({ SSL_CERT_DIR: `:${store}:` }), [three]);
  t.strictSame(trustedCertificates({ SSL_CERT_FILE: bundle, SSL_CERT_DIR: more }), [`${one}\n${two}`, two]);
  t.end();
});

await t.test('what holds no certificate adds nothing', (t) => {
  t.strictSame(trustedCertificates({ SSL_CERT_FILE: join(directory, 'not-a-certificate') }), []);
  t.strictSame(trustedCertificates({ SSL_CERT_FILE: store }), []);
  t.strictSame(trustedCertificates({ SSL_CERT_DIR: join(directory, 'empty') }), []);
  t.end();
});

await t.test('by default there is always a trusted authority', (t) => {
  const certificates = trustedCertificates({});
  t.ok(certificates.length > 0);
  t.ok(certificates.every((text) => text.includes('-----BEGIN')));
  t.ok(certificates === rootCertificates || certificates.length === 1, "Node's roots, or one bundle of the system");
  t.end();
});

function pem(content: string): string {
  return `-----BEGIN CERTIFICATE-----\n${Buffer.from(content).toString('base64')}\n-----END CERTIFICATE-----`;
}
