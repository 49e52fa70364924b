import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import t from 'tap';
import type { Test } from 'tap';
import { systemClock } from '../../../lib/clock.ts';
import type { ApiServerTarget } from '../../../lib/kubernetes/access/cluster-access.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { nodes } from '../../../lib/kubernetes/resources.ts';
import { Secret } from '../../../lib/secret.ts';
import { createAuthority } from '../../lab/authority.ts';
import type { Authority, CertificateFiles } from '../../lab/authority.ts';
import { commonNamePair, issuePair } from '../http/certificates.ts';
import { neverAborted, startHttps } from '../http/loopback.ts';
import type { LoopbackServer } from '../http/loopback.ts';
import { createTestClient, generousLimits, createMutableAccess } from './mutable-access.ts';
import type { MutableAccess } from './mutable-access.ts';
import { nodeObject } from './node-object.ts';

const nodeA = JSON.stringify(nodeObject({ name: 'a', uid: '1', version: '7' }));
const directory = t.testdir();
const [first, second] = await Promise.all([createAuthority(directory, 'first'), createAuthority(directory, 'second')]);
const [ann, bob] = await Promise.all([
  first.issueClient('ann', { user: 'ann', groups: [] }),
  first.issueClient('bob', { user: 'bob', groups: [] }),
]);
const text = (file: string): string => readFileSync(file, 'utf8');

function clientOf(certificate: CertificateFiles, key: CertificateFiles): NonNullable<ApiServerTarget['client']> {
  return { certificate: text(certificate.certificateFile), key: new Secret(text(key.keyFile)) };
}

interface ConnectionSetup {
  readonly server: LoopbackServer;
  readonly access: MutableAccess;
  readonly client: KubernetesClient;
  /** Whom the client certificates spoke for, in order. */
  readonly users: string[];
  readonly sockets: readonly Socket[];
}

async function setUp(t: Test, signedBy: Authority, subjects: readonly string[]): Promise<ConnectionSetup> {
  const users: string[] = [];
  const sockets: Socket[] = [];
  const pair = await issuePair(signedBy, `server-${subjects.join('-')}`, subjects);
  const options = {
    ...pair,
    ca: text(first.certificateFile),
    requestCert: true,
    rejectUnauthorized: false,
    keepAliveTimeout: 60_000,
  };
  const server = await startHttps(t, options, (request, response) => {
    users.push(userOf(request));
    sockets.push(request.socket);
    response.end(nodeA);
  });
  const access = createMutableAccess({
    server: new URL(`https://127.0.0.1:${server.port}`),
    authorities: text(first.certificateFile),
  });
  const client = createTestClient(access, systemClock, generousLimits);
  t.teardown(() => client.close());
  return { server, access, client, users, sockets };
}

function userOf({ socket }: IncomingMessage): string {
  const subject = (socket as TLSSocket).getPeerX509Certificate()?.subject ?? '';
  return /CN=(?<user>\w+)/.exec(subject)?.groups?.['user'] ?? 'nobody';
}

const get = async (client: KubernetesClient): Promise<unknown> => client.get(nodes, { name: 'a' }, neverAborted);

await t.test('authorities rotate: the next request trusts the new ones, and only these', async (t) => {
  const { server, access, client } = await setUp(t, second, ['127.0.0.1']);
  await t.rejects(get(client), {
    name: 'KubernetesError',
    kind: 'unavailable',
    message: /authority that this node does not trust/,
  });
  access.update({ authorities: `${text(first.certificateFile)}\n${text(second.certificateFile)}` });
  await get(client);
  await get(client);
  const connections = server.connections();
  access.update({ token: new Secret('another') });
  await get(client);
  t.equal(server.connections(), connections, 'a new token needs no new connection');
  access.update({ authorities: text(first.certificateFile) });
  await t.rejects(get(client), { name: 'KubernetesError', kind: 'unavailable' }, 'a kept connection is not used on');
});

await t.test('client certificates rotate', async (t) => {
  const { access, client, users } = await setUp(t, first, ['127.0.0.1']);
  await get(client);
  access.update({ client: clientOf(ann, ann) });
  await get(client);
  access.update({ client: clientOf(bob, bob) });
  await get(client);
  t.strictSame(users, ['nobody', 'ann', 'bob']);
});

await t.test('a connection with the old certificate is closed as soon as it is idle', async (t) => {
  const { access, client, sockets } = await setUp(t, first, ['127.0.0.1']);
  access.update({ client: clientOf(ann, ann) });
  await get(client);
  const [old] = sockets;
  if (old === undefined) throw new Error('nobody was connected');
  const closed = once(old, 'close', { signal: AbortSignal.timeout(10_000) });
  access.update({ client: clientOf(bob, bob) });
  await get(client);
  await t.resolves(closed);
});

await t.test('a certificate whose key is still the old one: as before, until they fit', async (t) => {
  const { access, client, users } = await setUp(t, first, ['127.0.0.1']);
  access.update({ client: clientOf(ann, ann) });
  await get(client);
  access.update({ client: clientOf(bob, ann) });
  await get(client);
  access.update({ client: clientOf(bob, bob) });
  await get(client);
  t.strictSame(users, ['ann', 'ann', 'bob']);
});

await t.test('certificates that never fitted are a mistake', async (t) => {
  const { access, client } = await setUp(t, first, ['127.0.0.1']);
  access.update({ client: clientOf(bob, ann) });
  await t.rejects(get(client), { name: 'Failure', kind: 'misconfigured', message: /unusable \(ERR_OSSL/ });
});

await t.test(
  'credentials for another server do not go to the former one, even if its certificate is unusable',
  async (t) => {
    const { server, access, client } = await setUp(t, first, ['127.0.0.1']);
    await get(client);
    const seen: unknown[] = [];
    const pair = await issuePair(first, 'elsewhere', ['127.0.0.1']);
    const elsewhere = await startHttps(t, pair, (request, response) => {
      seen.push(request.headers.authorization);
      response.end(nodeA);
    });
    access.update({
      server: new URL(`https://127.0.0.1:${elsewhere.port}`),
      client: clientOf(bob, ann),
      token: new Secret('for elsewhere'),
    });
    await t.rejects(get(client), { name: 'Failure', kind: 'misconfigured' });
    t.equal(server.connections(), 1);
    access.update({ client: clientOf(bob, bob) });
    await get(client);
    t.strictSame(seen, ['Bearer for elsewhere']);
  },
);

await t.test('the name that the certificate must have', async (t) => {
  const { access, client } = await setUp(t, first, ['kubernetes']);
  await t.rejects(get(client), {
    name: 'KubernetesError',
    kind: 'unavailable',
    message: /its certificate is for another name/,
  });
  access.update({ serverName: 'kubernetes' });
  await get(client);
  access.update({ serverName: 'other' });
  await t.rejects(get(client), {
    name: 'KubernetesError',
    kind: 'unavailable',
    message: /its certificate is for another name/,
  });
});

await t.test('a certificate without a subjectAltName is refused, whatever its common name is', async (t) => {
  const { access, client } = await setUp(t, first, ['127.0.0.1']);
  const legacy = await commonNamePair(directory, 'localhost');
  const { port } = await startHttps(t, legacy, (_, response) => response.end(nodeA));
  access.update({ server: new URL(`https://localhost:${port}`), authorities: legacy.cert });
  await t.rejects(get(client), {
    name: 'KubernetesError',
    kind: 'unavailable',
    message: /its certificate is for another name .*no subjectAltName/,
  });
});

await t.test('what is under way when trust changes goes on', async (t) => {
  const { access, client } = await setUp(t, first, ['127.0.0.1']);
  const pair = await issuePair(first, 'slow', ['127.0.0.1']);
  const held = Promise.withResolvers<() => void>();
  const slow = await startHttps(t, pair, (_, response) => held.resolve(() => response.end(nodeA)));
  access.update({ server: new URL(`https://127.0.0.1:${slow.port}`) });
  const answer = get(client);
  const release = await held.promise;
  access.update({ authorities: text(second.certificateFile) });
  await t.rejects(get(client), { name: 'KubernetesError', kind: 'unavailable' });
  release();
  t.match(await answer, { kind: 'Node' });
});

await t.test('requests with former credentials end with the client too', async (t) => {
  const { access, client } = await setUp(t, first, ['127.0.0.1']);
  const held = Promise.withResolvers<undefined>();
  const pair = await issuePair(first, 'silent', ['127.0.0.1']);
  const slow = await startHttps(t, pair, () => held.resolve(undefined));
  const { server: usual } = access.current() as ApiServerTarget;
  access.update({ server: new URL(`https://127.0.0.1:${slow.port}`) });
  const rejected = t.rejects(get(client), { name: 'KubernetesError', message: /it closed the connection/ });
  await held.promise;
  access.update({ server: usual });
  await get(client);
  t.equal(slow.open(), 1);
  client.close();
  await rejected;
  t.equal(slow.connections(), 1);
});
