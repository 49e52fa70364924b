import t from 'tap';
import { clusterKeys } from '../../../../node-agent/broker/tokens/cluster-keys.ts';
import type { ClusterKeys } from '../../../../node-agent/broker/tokens/cluster-keys.ts';
import { parseDiscovery, parseKeys } from '../../../../node-agent/broker/tokens/parse-keys.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { createSigningCluster } from './signing-cluster.ts';

const minuteMs = 60_000;
const first = createSigningCluster('RS256', 'https://issuer.example');
const second = createSigningCluster('ES256', 'https://issuer.example');
const { kid: firstId } = first.signer.publicKey;
const { kid: secondId } = second.signer.publicKey;

interface KeysHarness {
  readonly clock: FakeClock;
  readonly keys: ClusterKeys;
  /** The responses of the API server; absent: it is down. */
  documents: Readonly<Record<string, unknown>> | undefined;
  reads: number;
}

function createHarness(): KeysHarness {
  const clock = createFakeClock(0);
  const read = async (_what: string, path: string): Promise<string> => {
    harness.reads += 1;
    if (harness.documents === undefined) throw new Error('down');
    return JSON.stringify(harness.documents[path]);
  };
  const harness: KeysHarness = {
    clock,
    keys: clusterKeys({ clock, client: { read } }),
    documents: first.documents,
    reads: 0,
  };
  return harness;
}

await t.test('requests at the same time cause one read from the API server', async (t) => {
  const harness = createHarness();
  const issuers = await Promise.all([firstId, firstId, firstId].map((id) => harness.keys.issuerOf(id)));
  t.strictSame(
    issuers.map((issuer) => issuer?.name),
    Array.from({ length: 3 }, () => 'https://issuer.example'),
  );
  t.equal(harness.reads, 2, 'one document each');
});

await t.test('keys are cached, and a new one is found when a token names it', async (t) => {
  const harness = createHarness();
  await harness.keys.issuerOf(firstId);
  await harness.keys.issuerOf(firstId);
  t.equal(harness.reads, 2);
  harness.documents = second.documents;
  await harness.clock.advance(minuteMs);
  t.ok((await harness.keys.issuerOf(secondId))?.keys.has(secondId));
  t.equal(harness.reads, 4);
});

await t.test('an unknown key id causes a new read at once, and the previous keys no longer count', async (t) => {
  const harness = createHarness();
  await harness.keys.issuerOf(firstId);
  harness.documents = second.documents;
  t.ok((await harness.keys.issuerOf(secondId))?.keys.has(secondId), 'the new key');
  t.notOk((await harness.keys.issuerOf(firstId))?.keys.has(firstId), 'the withdrawn one');
});

await t.test('invented key ids cause a limited number of reads', async (t) => {
  const harness = createHarness();
  const askMadeUp = async (): Promise<number> => {
    harness.reads = 0;
    for (let i = 0; i < 20; i++) await harness.keys.issuerOf(`made up ${i}`);
    return harness.reads / 2;
  };
  t.equal(await askMadeUp(), 4, 'at first, and three times at once');
  await harness.clock.advance(20_000);
  t.equal(await askMadeUp(), 2, 'then once in ten seconds');
});

await t.test('an unavailable API server is not asked again for each token', async (t) => {
  const harness = createHarness();
  harness.documents = undefined;
  for (let i = 0; i < 20; i++) await harness.keys.issuerOf(firstId);
  t.equal(harness.reads, 2);
  await harness.clock.advance(10_000);
  await harness.keys.issuerOf(firstId);
  t.equal(harness.reads, 4);
});

await t.test('while the API server is down the last keys count for a limited time', async (t) => {
  const harness = createHarness();
  await harness.keys.issuerOf(firstId);
  harness.documents = undefined;
  await harness.clock.advance(30 * minuteMs);
  t.ok(await harness.keys.issuerOf(firstId));
  await harness.clock.advance(30 * minuteMs);
  t.equal(await harness.keys.issuerOf(firstId), undefined);
});

await t.test('a withdrawn key no longer counts', async (t) => {
  const harness = createHarness();
  await harness.keys.issuerOf(firstId);
  harness.documents = second.documents;
  await harness.clock.advance(11 * minuteMs);
  t.notOk((await harness.keys.issuerOf(firstId))?.keys.has(firstId));
});

await t.test('an API server that was never reached', async (t) => {
  const harness = createHarness();
  harness.documents = undefined;
  t.equal(await harness.keys.issuerOf(firstId), undefined);
});

await t.test('an invalid issuer document is a failure', (t) => {
  for (const body of ['', '[]', '{}', '{"issuer":7}', '<html>']) t.throws(() => parseDiscovery(body), body);
  for (const body of ['', '[]', '{}', '{"keys":{}}']) t.throws(() => parseKeys(body), body);
  const odd = [{ kid: 'a', kty: 'new' }, 7, null, { kty: 'RSA' }, first.signer.publicKey];
  t.strictSame([...parseKeys(JSON.stringify({ keys: odd })).keys()], [firstId], 'one odd key hides no other');
  t.end();
});
