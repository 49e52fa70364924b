import t from 'tap';
import { readCaBundle } from '../../../clouds/aws/trust.ts';
import { fakeHost } from '../fake-host.ts';
import { awsConfig } from './config.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const host = fakeHost({ '/ca.pem': pem, '/empty': '', '/key.pem': '-----BEGIN PRIVATE KEY-----\n' });
const config = awsConfig;

await t.test('AWS_CA_BUNDLE is read, and unset or empty it means nothing', async (t) => {
  t.equal(await readCaBundle({ env: { AWS_CA_BUNDLE: '/ca.pem' }, host, config }), pem);
  t.equal(await readCaBundle({ env: { AWS_CA_BUNDLE: '' }, host, config }), undefined);
  t.equal(await readCaBundle({ env: {}, host, config }), undefined);
});

for (const path of ['/missing', '/empty', '/key.pem']) {
  await t.test(`a bundle that holds no certificate is a mistake, not trust in others: ${path}`, async (t) => {
    const trust = readCaBundle({ env: { AWS_CA_BUNDLE: path }, host, config });
    await t.rejects(trust, { kind: 'misconfigured', message: `${path}, named by AWS_CA_BUNDLE` });
  });
}
