import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { createAuthority } from './authority.ts';

await t.test('issues what a strict client accepts, and quickly', async (t) => {
  const startedMs = performance.now();
  const authority = await createAuthority(t.testdir());
  const issued = await authority.issue('server', ['api.ecr.us-west-2.amazonaws.com', '127.0.0.1', 'fd00:ec2::254']);
  const durationMs = performance.now() - startedMs;

  const root = new X509Certificate(readFileSync(authority.certificateFile));
  const server = new X509Certificate(readFileSync(issued.certificateFile));
  t.ok(root.ca && !server.ca);
  t.ok(server.verify(root.publicKey) && server.checkIssued(root));
  t.ok(
    server.checkHost('api.ecr.us-west-2.amazonaws.com') &&
      server.checkIP('127.0.0.1') &&
      server.checkIP('fd00:ec2::254'),
  );
  t.notOk(server.checkHost('api.ecr.us-east-1.amazonaws.com'));
  t.equal(server.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  t.ok(durationMs < 2000, `${durationMs.toFixed(0)} ms`);
});
