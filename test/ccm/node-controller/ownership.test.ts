import t from 'tap';
import { ownershipOf } from '../../../ccm/node-controller/ownership.ts';
import type { EnabledCloud } from '../../../ccm/node-controller/ownership.ts';
import type { NodeFacts } from '../../../clouds/cloud.ts';

function cloud(name: string): EnabledCloud {
  const scope = { cloud: name, key: `${name}/here` };
  return {
    name,
    instances: {
      scopesOf: ({ providerId }) =>
        providerId === undefined || providerId.startsWith(`${name}://`) ? [scope] : undefined,
      batchMax: 1,
      lookUp: () => Promise.resolve(new Map()),
      verifyAccess: () => Promise.resolve(false),
    },
  };
}

const clouds = [cloud('one'), cloud('two')];
const facts: NodeFacts = { uid: 'u', name: 'n', nodeIps: [], labels: {} };

function keysOf(given: Partial<NodeFacts>): unknown {
  const ownership = ownershipOf({ ...facts, ...given }, clouds);
  return ownership.kind === 'ours' ? ownership.cloudScopes.map(({ scope }) => scope.key) : ownership.kind;
}

const cases: ReadonlyArray<readonly [name: string, given: Partial<NodeFacts>, expected: unknown]> = [
  ['the scheme of the providerID decides', { providerId: 'two://x' }, ['two/here']],
  ['an unknown scheme is foreign', { providerId: 'gce://p/z/n' }, 'foreign'],
  ['without a providerID everybody is asked', {}, ['one/here', 'two/here']],
  ['a label gives it to one cloud', { labels: { 'polycloud.dev/cloud': 'two' } }, ['two/here']],
  [
    'a label takes it out of our hands',
    { providerId: 'one://x', labels: { 'polycloud.dev/cloud': 'false' } },
    'unmanaged',
  ],
  [
    'a label for a cloud that is not here',
    { providerId: 'one://x', labels: { 'polycloud.dev/cloud': 'gcp' } },
    'foreign',
  ],
  [
    'a label cannot give a node of one cloud to another',
    { providerId: 'one://x', labels: { 'polycloud.dev/cloud': 'two' } },
    'foreign',
  ],
];
for (const [name, given, expected] of cases) {
  await t.test(name, async (t) => {
    t.strictSame(keysOf(given), expected);
  });
}
