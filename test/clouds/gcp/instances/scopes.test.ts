import t from 'tap';
import { createScopeIndex } from '../../../../clouds/gcp/instances/scopes.ts';
import { nodeNamed, nodeWith } from '../compute-lab.ts';

const prod = { name: 'prod', projectId: 'lab-project' };
const old = { name: 'old', projectId: 'example.com:lab-project', serviceAccount: 'a@b.iam.gserviceaccount.com' };
const own = createScopeIndex({ projects: [] });
const configured = createScopeIndex({ projects: [prod, old] });

const rows: readonly (readonly [index: typeof own, providerId: string, keys: readonly string[] | undefined])[] = [
  [own, '', ['gcp/own-project']],
  [own, 'gce://lab-project/us-central1-a/node-1', ['gcp/own-project']],
  [own, 'gce://any-project/us-central1-a/node-1', ['gcp/own-project']],
  [own, 'gce://lab-project/us-central1-a', ['gcp/nowhere']],
  [own, 'gce://lab-project/us-central1/node-1', ['gcp/nowhere']],
  [own, 'gce://lab-project/us-central1-a/../node-1', ['gcp/nowhere']],
  [own, 'gce://lab-project/us-central1-a/node-1?x', ['gcp/nowhere']],
  [own, 'aws:///us-west-2a/i-0123456789abcdef0', undefined],
  [own, 'i-0123456789abcdef0', undefined],
  [configured, '', ['gcp/prod', 'gcp/old']],
  [configured, 'gce://lab-project/us-central1-a/node-1', ['gcp/prod']],
  [configured, 'gce://example.com:lab-project/us-central1-a/node-1', ['gcp/old']],
  [configured, 'gce://any-project/us-central1-a/node-1', ['gcp/nowhere']],
  [configured, 'azure:///x', undefined],
];
for (const [index, providerId, keys] of rows) {
  const what = index === own ? 'own project' : 'two projects';
  await t.test(`${what}: ${providerId || 'no providerID'} is looked up in ${keys?.join() ?? 'no scope'}`, (t) => {
    const node = providerId === '' ? nodeNamed('node-1') : nodeWith(providerId);
    t.strictSame(
      index.scopesOf(node),
      keys?.map((key) => ({ cloud: 'gcp', key })),
    );
    t.end();
  });
}

await t.test('a scope has its project, and the one for nodes without a project has none', (t) => {
  t.match(configured.find({ cloud: 'gcp', key: 'gcp/old' }), { config: old });
  t.equal(configured.find({ cloud: 'gcp', key: 'gcp/own-project' }), undefined);
  t.match(own.find({ cloud: 'gcp', key: 'gcp/own-project' }), { config: undefined });
  t.equal(own.find({ cloud: 'gcp', key: 'gcp/nowhere' }), undefined);
  t.end();
});
