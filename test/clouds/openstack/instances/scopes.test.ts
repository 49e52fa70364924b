import t from 'tap';
import { createScopeIndex } from '../../../../clouds/openstack/instances/scopes.ts';
import { nodeNamed, nodeWith } from '../openstack-lab.ts';

const id = 'b0000000-0000-4000-8000-000000000001';
const prod = { name: 'prod', projectId: 'p1', region: 'R1' };
const test = { name: 'test', cloud: 'test', region: 'R2' };
const indexes = {
  own: createScopeIndex({ scopes: [] }),
  'own, in R1': createScopeIndex({ scopes: [], region: 'R1' }),
  two: createScopeIndex({ scopes: [prod, test] }),
  'two without regions': createScopeIndex({ scopes: [{ name: 'a', projectId: 'p1' }, { name: 'b' }] }),
};

type Row = readonly [index: keyof typeof indexes, providerId: string, keys: readonly string[] | undefined];

const rows: readonly Row[] = [
  ['own', '', ['own-project']],
  ['own', `openstack:///${id}`, ['own-project']],
  ['own', `openstack://R7/${id}`, ['own-project']],
  ['own', 'openstack:///node-1', ['nowhere']],
  ['own', `openstack:///${id.toUpperCase()}`, ['nowhere']],
  ['own', `openstack:///${id}/`, ['nowhere']],
  ['own', `openstack:///../${id}`, ['nowhere']],
  ['own', `openstack://R 1/${id}`, ['nowhere']],
  ['own', `aws:///us-west-2a/i-0123456789abcdef0`, undefined],
  ['own', id, undefined],
  ['own, in R1', `openstack://R1/${id}`, ['own-project']],
  ['own, in R1', `openstack://R2/${id}`, ['nowhere']],
  ['two', '', ['prod', 'test']],
  ['two', `openstack:///${id}`, ['prod', 'test']],
  ['two', `openstack://R2/${id}`, ['test']],
  ['two', `openstack://R3/${id}`, ['nowhere']],
];
for (const [index, providerId, keys] of rows) {
  await t.test(`${index}: ${providerId || 'no providerID'} is looked up in ${keys?.join() ?? 'no scope'}`, (t) => {
    const node = { ...nodeNamed('node-1'), ...(providerId !== '' && { providerId }) };
    t.strictSame(
      indexes[index].scopesOf(node),
      keys?.map((key) => ({ cloud: 'openstack', key: `openstack/${key}` })),
    );
    t.end();
  });
}

await t.test('the project on the Node decides between the scopes that name theirs', (t) => {
  const keysFor = (index: keyof typeof indexes, project: string) =>
    indexes[index]
      .scopesOf({ ...nodeWith(`openstack:///${id}`), labels: { 'polycloud.dev/openstack-project-id': project } })
      ?.map(({ key }) => key);
  t.strictSame(keysFor('two without regions', 'p1'), ['openstack/a', 'openstack/b']);
  t.strictSame(keysFor('two without regions', 'p2'), ['openstack/b']);
  t.strictSame(keysFor('own', 'p2'), ['openstack/own-project']);
  t.end();
});
