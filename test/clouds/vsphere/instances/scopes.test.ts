import t from 'tap';
import { createScopeIndex } from '../../../../clouds/vsphere/instances/scopes.ts';
import { twoVcenters } from '../config.ts';
import { nodeNamed } from '../vcenter-lab.ts';

const index = createScopeIndex(twoVcenters);
const providerId = 'vsphere://423e10c5-4a2b-7c1d-9a3e-1f2b3c4d0001';
const label = 'polycloud.dev/vsphere-vcenter';

const rows: ReadonlyArray<
  readonly [providerId: string | undefined, home: string | undefined, keys: string | undefined]
> = [
  [undefined, undefined, 'vsphere/a vsphere/b'],
  ['', undefined, 'vsphere/a vsphere/b'],
  [undefined, 'b', 'vsphere/a vsphere/b'],
  [providerId, undefined, 'vsphere/a vsphere/b'],
  [providerId, 'a', 'vsphere/a'],
  [providerId, 'b', 'vsphere/b'],
  [providerId, 'removed', 'vsphere/a vsphere/b'],
  ['vsphere://node-1', 'a', 'vsphere/nowhere'],
  ['aws:///us-west-2a/i-0123456789abcdef0', 'a', undefined],
];
for (const [given, home, keys] of rows) {
  await t.test(`${given ?? 'no providerID'}, home ${home ?? 'not known'}: ${keys ?? 'no scope'}`, (t) => {
    const node = nodeNamed('node-1', {
      ...(given !== undefined && { providerId: given }),
      labels: home === undefined ? {} : { [label]: home },
    });
    t.equal(
      index
        .scopesOf(node)
        ?.map(({ key }) => key)
        .join(' '),
      keys,
    );
    t.end();
  });
}

await t.test('a scope has its vCenter, and the one for unreadable providerIDs has none', (t) => {
  t.match(index.find({ cloud: 'vsphere', key: 'vsphere/b' }), { vcenter: { server: 'b.vcenter.lab' } });
  t.equal(index.find({ cloud: 'vsphere', key: 'vsphere/nowhere' }), undefined);
  t.end();
});
