import { createHmac, createPublicKey } from 'node:crypto';
import t from 'tap';
import { clusterKeys } from '../../../../node-agent/broker/tokens/cluster-keys.ts';
import { verifyToken } from '../../../../node-agent/broker/tokens/verify-token.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { claimsOf, createSigningCluster } from './signing-cluster.ts';

const nowMs = Date.parse('2026-11-18T12:00:00Z');
const issuer = 'https://kubernetes.default.svc.cluster.local';
const expiresAtMs = nowMs + 3_600_000;
const cluster = createSigningCluster('RS256', issuer);
const other = createSigningCluster('RS256', issuer);
const keys = clusterKeys({
  clock: createFakeClock(nowMs),
  client: { read: async (_what, path) => JSON.stringify(cluster.documents[path]) },
});

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

for (const algorithm of ['RS256', 'ES256'] as const) {
  await t.test(`the claims of a token that the cluster signed with ${algorithm} count`, async (t) => {
    const signing = createSigningCluster(algorithm, issuer);
    const read = async (_what: string, path: string): Promise<string> => JSON.stringify(signing.documents[path]);
    const own = clusterKeys({ clock: createFakeClock(nowMs), client: { read } });
    t.strictSame(await verifyToken(signing.sign({ expiresAtMs, audience: ['b', 'a'] }), own, nowMs), {
      issuer,
      audiences: ['b', 'a'],
      namespace: 'default',
      serviceAccount: 'puller',
      serviceAccountUid: 'uid of puller',
    });
  });
}

const good = cluster.sign({ expiresAtMs });
const [head = '', body = '', signature = ''] = good.split('.');
const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object;
const publicPem = createPublicKey({ key: cluster.signer.publicKey, format: 'jwk' }).export({
  type: 'spki',
  format: 'pem',
});
const confused = `${encode({ ...header, alg: 'HS256' })}.${body}`;

const unproven: Readonly<Record<string, string>> = {
  'another’s claims under our signature': `${head}.${encode(claimsOf({ expiresAtMs, uid: 'another' }, issuer))}.${signature}`,
  'signed by a key of somebody else': other.sign({ expiresAtMs }),
  'signed by somebody else under our key’s id': `${head}.${other.sign({ expiresAtMs }).split('.').slice(1).join('.')}`,
  'no signature': `${head}.${body}.`,
  'no algorithm': `${encode({ ...header, alg: 'none' })}.${body}.`,
  'an algorithm that the key is not made for': `${encode({ ...header, alg: 'ES256' })}.${body}.${signature}`,
  'the public key used as a password': `${confused}.${createHmac('sha256', publicPem).update(confused).digest('base64url')}`,
  'an algorithm by a name of the language': `${encode({ ...header, alg: 'constructor' })}.${body}.${signature}`,
  'no key id': `${encode({ alg: 'RS256' })}.${body}.${signature}`,
  'past its end': cluster.sign({ expiresAtMs: nowMs }),
  'before its beginning': cluster.sign({ expiresAtMs, notBeforeMs: nowMs + 1_000 }),
  'of another issuer': cluster.sign({ expiresAtMs, issuer: 'https://elsewhere.example' }),
  'of no service account': cluster.signer.sign({ iss: issuer, aud: 'a', exp: expiresAtMs / 1_000, sub: 'x' }),
  'without an end': cluster.signer.sign({ ...claimsOf({ expiresAtMs }, issuer), exp: undefined }),
  'without an audience': cluster.signer.sign({ ...claimsOf({ expiresAtMs }, issuer), aud: [] }),
  'four parts': `${good}.x`,
  'no token': 'a.b.c',
  nothing: '',
};

await t.test('the token that the invalid ones are made from is valid', async (t) => {
  t.ok(await verifyToken(good, keys, nowMs));
});

for (const [what, token] of Object.entries(unproven)) {
  await t.test(`not proven: ${what}`, async (t) => {
    t.equal(await verifyToken(token, keys, nowMs), undefined);
  });
}
