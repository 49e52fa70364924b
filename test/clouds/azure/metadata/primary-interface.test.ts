import t from 'tap';
import { interfaceTowardsMetadata, plainMac } from '../../../../clouds/azure/metadata/primary-interface.ts';

const header = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';

function row(name: string, destination: string, mask: string, more: { metric?: number; flags?: string } = {}): string {
  return `${name}\t${destination}\t0101000A\t${more.flags ?? '0003'}\t0\t0\t${more.metric ?? 100}\t${mask}\t0\t0\t0`;
}

const anywhere = ['00000000', '00000000'] as const;
const metadata = ['FEA9FEA9', 'FFFFFFFF'] as const;
const linkLocal = ['0000FEA9', '0000FFFF'] as const;
const elsewhere = ['0000000A', '0000FFFF'] as const;

const tables: readonly (readonly [what: string, rows: readonly string[], found: string | undefined])[] = [
  ['no routes', [], undefined],
  ['routes elsewhere', [row('eth0', ...elsewhere)], undefined],
  ['the default route', [row('eth0', ...elsewhere), row('eth1', ...anywhere)], 'eth1'],
  ['a route to it before the default route', [row('eth0', ...anywhere), row('eth1', ...metadata)], 'eth1'],
  ['the most specific one', [row('eth0', ...linkLocal), row('eth1', ...metadata, { metric: 900 })], 'eth1'],
  ['the lowest metric', [row('eth0', ...anywhere, { metric: 200 }), row('eth1', ...anywhere)], 'eth1'],
  ['not one that rejects', [row('eth0', ...metadata, { flags: '0201' }), row('eth1', ...anywhere)], 'eth1'],
  ['not one that is down', [row('eth0', ...metadata, { flags: '0002' }), row('eth1', ...anywhere)], 'eth1'],
  ['not a name that is a path', [row('../x', ...metadata), row('..', ...metadata)], undefined],
];
for (const [what, rows, found] of tables) {
  await t.test(`the interface towards the metadata service: ${what}`, (t) => {
    t.equal(interfaceTowardsMetadata(`${[header, ...rows].join('\n')}\n`), found);
    t.end();
  });
}

await t.test('lines in no format, and no file at all', (t) => {
  t.equal(interfaceTowardsMetadata(`${header}\neth0\neth0 x y z\n`), undefined);
  t.equal(interfaceTowardsMetadata(''), undefined);
  t.end();
});

await t.test('MAC addresses in both spellings', (t) => {
  t.equal(plainMac('00:0d:3a:11:11:10'), plainMac('000D3A111110'));
  t.end();
});
