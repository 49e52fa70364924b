import t from 'tap';
import type { ScopeConfig } from '../../../../schemas/config/aws.ts';
import { createScopeIndex } from '../../../../clouds/aws/instances/scopes.ts';
import { nodeNamed, nodeWith } from '../ec2-lab.ts';

const id = 'i-0123456789abcdef0';
const prod: ScopeConfig = { name: 'prod', region: 'us-west-2' };
const test: ScopeConfig = { name: 'test', region: 'us-west-2', profile: 'test' };
const europe: ScopeConfig = { name: 'europe', region: 'eu-west-1', roleArn: 'arn:aws:iam::123456789012:role/x' };
const own = createScopeIndex({ scopes: [] }, { AWS_REGION: 'us-west-2' });
const withoutRegion = createScopeIndex({ scopes: [] }, {});
const configured = createScopeIndex({ scopes: [prod, test, europe] }, { AWS_REGION: 'us-east-1' });

const rows: readonly (readonly [book: typeof own, providerId: string, keys: readonly string[] | undefined])[] = [
  [own, '', ['aws/us-west-2']],
  [own, id, ['aws/us-west-2']],
  [own, `aws:////${id}`, ['aws/us-west-2']],
  [own, `aws:///us-west-2a/${id}`, ['aws/us-west-2']],
  [own, `aws:///us-west-2-lax-1a/${id}`, ['aws/us-west-2']],
  [own, `aws:///eu-west-1c/${id}`, ['aws/eu-west-1', 'aws/us-west-2']],
  [own, `aws:///rack-7/${id}`, ['aws/nowhere']],
  [own, 'aws:///us-west-2a/web', ['aws/nowhere']],
  [own, 'azure:///x', undefined],
  [own, 'aws:///us-west-2a/fargate-10.0.0.1', undefined],
  [withoutRegion, '', ['aws/own-region']],
  [withoutRegion, `aws:///us-west-2a/${id}`, ['aws/us-west-2']],
  [configured, '', ['aws/prod', 'aws/test', 'aws/europe']],
  [configured, `aws:////${id}`, ['aws/prod', 'aws/test', 'aws/europe']],
  [configured, `aws:///us-west-2a/${id}`, ['aws/prod', 'aws/test']],
  [configured, `aws:///eu-west-1-lon-1a/${id}`, ['aws/europe']],
  [configured, `aws:///us-east-1a/${id}`, ['aws/nowhere']],
  [configured, 'gce://p/z/n', undefined],
];

for (const [book, providerId, keys] of rows) {
  const which = new Map([
    [own, 'own identity'],
    [withoutRegion, 'own identity, no region'],
    [configured, 'scopes'],
  ]);
  await t.test(
    `${which.get(book)}: ${providerId || 'no providerID'} is asked in ${keys?.join() ?? 'no scope'}`,
    (t) => {
      const node = providerId === '' ? nodeNamed('n') : nodeWith(providerId);
      t.same(
        book.scopesOf(node),
        keys?.map((key) => ({ cloud: 'aws', key })),
      );
      t.end();
    },
  );
}

await t.test("where the zone and the Node's label name two regions, both are asked", (t) => {
  const keysFor = (book: typeof own, region: string): readonly string[] | undefined =>
    book
      .scopesOf({ ...nodeWith(`aws:///eu-west-1c/${id}`), labels: { 'topology.kubernetes.io/region': region } })
      ?.map(({ key }) => key);
  t.same(keysFor(own, 'eu-west-1'), ['aws/eu-west-1']);
  t.same(keysFor(own, 'us-east-2'), ['aws/eu-west-1', 'aws/us-east-2']);
  t.same(keysFor(own, 'rack-7'), ['aws/eu-west-1'], 'a label that is not a region is ignored');
  t.same(keysFor(configured, 'us-west-2'), ['aws/europe', 'aws/prod', 'aws/test']);
  t.same(keysFor(configured, 'us-east-1'), ['aws/europe', 'aws/nowhere']);
  t.end();
});

await t.test('a region without a scope is not ignored: no other scope may report its instances as gone', (t) => {
  const node = nodeWith(`aws:///us-east-1a/${id}`);
  const besides = createScopeIndex({ scopes: [prod] }, { AWS_REGION: 'us-west-2' });
  const labelled = { ...node, labels: { 'topology.kubernetes.io/region': 'us-west-2' } };
  for (const facts of [node, labelled]) {
    t.same(
      besides.scopesOf(facts)?.map(({ key }) => key),
      ['aws/prod', 'aws/nowhere'],
    );
  }
  t.end();
});

await t.test('an empty providerID is none', (t) => {
  t.same(own.scopesOf(nodeWith('')), own.scopesOf(nodeNamed('n')));
  t.end();
});

await t.test('every scope but nowhere is found again, and no other', (t) => {
  t.match(own.find({ cloud: 'aws', key: 'aws/eu-west-1' }), { region: 'eu-west-1', config: undefined });
  t.match(own.find({ cloud: 'aws', key: 'aws/us-west-2' }), { region: 'us-west-2' });
  t.match(withoutRegion.find({ cloud: 'aws', key: 'aws/own-region' }), { region: undefined });
  t.match(configured.find({ cloud: 'aws', key: 'aws/test' }), { region: 'us-west-2', config: { profile: 'test' } });
  for (const book of [own, withoutRegion, configured]) {
    for (const key of ['aws/nowhere', 'aws/', 'static', 'us-west-2']) {
      t.equal(book.find({ cloud: 'aws', key }), undefined);
    }
  }
  t.equal(configured.find({ cloud: 'aws', key: 'aws/us-east-1' }), undefined);
  t.end();
});
