import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { createAuthority } from './authority.ts';

const serverUse = '1.3.6.1.5.5.7.3.1';
const clientUse = '1.3.6.1.5.5.7.3.2';

await t.test('issues what a strict client accepts, and quickly', async (t) => {
  const startedMs = performance.now();
  const authority = await createAuthority(t.testdir());
  const issued = await authority.issue('server', ['api.ecr.us-west-2.amazonaws.com', '127.0.0.1', 'fd00:ec2::254']);
  const durationMs = performance.now() - startedMs;

  const root = readCertificate(authority.certificateFile);
  const server = readCertificate(issued.certificateFile);
  t.ok(root.ca && !server.ca);
  t.ok(server.verify(root.publicKey) && server.checkIssued(root));
  t.ok(
    server.checkHost('api.ecr.us-west-2.amazonaws.com') &&
      server.checkIP('127.0.0.1') &&
      server.checkIP('fd00:ec2::254'),
  );
  t.notOk(server.checkHost('api.ecr.us-east-1.amazonaws.com'));
  t.same(server.keyUsage, [serverUse]);
  t.equal(server.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  t.ok(durationMs < 2000, `${durationMs.toFixed(0)} ms`);
});

await t.test('a client certificate has a user and groups, and is not valid for a server', async (t) => {
  const authority = await createAuthority(t.testdir());
  const holder = { user: 'system:node:node-1', groups: ['system:nodes', 'team/one'] };
  const issued = await authority.issueClient('node', holder);

  const client = readCertificate(issued.certificateFile);
  t.ok(client.checkIssued(readCertificate(authority.certificateFile)));
  t.same(client.subject.split('\n').sort(), ['CN=system:node:node-1', 'O=system:nodes', 'O=team/one']);
  t.same(client.keyUsage, [clientUse]);
  t.equal(client.subjectAltName, undefined);
});

await t.test('a name that would change the meaning of the configuration is refused', async (t) => {
  const authority = await createAuthority(t.testdir());
  for (const user of ['', 'a b', 'a\nCN=admin', '$ENV::HOME']) {
    t.throws(() => authority.issueClient('odd', { user, groups: [] }), /certificate/, JSON.stringify(user));
  }
});

await t.test('two authorities in one directory are two', async (t) => {
  const directory = t.testdir();
  const one = await createAuthority(directory);
  const other = await createAuthority(directory, 'other');
  const issued = readCertificate((await other.issue('server', ['localhost'])).certificateFile);
  t.ok(issued.checkIssued(readCertificate(other.certificateFile)));
  t.notOk(issued.checkIssued(readCertificate(one.certificateFile)));
});

function readCertificate(file: string): X509Certificate {
  return new X509Certificate(readFileSync(file));
}
