import t from 'tap';
import { contains, overlaps, parseCidr } from '../../../ccm/route-controller/cidr.ts';
import type { Cidr } from '../../../ccm/route-controller/cidr.ts';

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is no CIDR`);
  return parsed;
}

await t.test('one range has one text', (t) => {
  const texts: Readonly<Record<string, string>> = {
    '10.244.3.0/24': '10.244.3.0/24',
    '10.244.3.7/24': '10.244.3.0/24',
    '10.0.0.0/8': '10.0.0.0/8',
    '1.2.3.4/32': '1.2.3.4/32',
    '0.0.0.0/0': '0.0.0.0/0',
    'fd00:0010:0244:0::/64': 'fd00:10:244::/64',
    'FD00:10:244:1:0:0:0:9/64': 'fd00:10:244:1::/64',
    '::/0': '::/0',
    '::1/128': '::1/128',
    'ff00::/8': 'ff00::/8',
  };
  for (const [text, canonical] of Object.entries(texts)) t.equal(parseCidr(text)?.text, canonical);
  t.end();
});

await t.test('anything else is no CIDR', (t) => {
  const others = [
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0/24',
    'fd00::/129',
    'fd00::%1/64',
    'x/8',
    '10.0.0.0/-1',
    '1/8/8',
  ];
  for (const text of others) t.equal(parseCidr(text), undefined, text);
  t.end();
});

await t.test('ranges contain and overlap each other', (t) => {
  t.ok(contains(cidr('10.0.0.0/8'), cidr('10.255.255.0/24')));
  t.ok(contains(cidr('10.0.0.0/8'), cidr('10.0.0.0/8')));
  t.notOk(contains(cidr('10.0.0.0/8'), cidr('11.0.0.0/24')));
  t.notOk(contains(cidr('10.1.0.0/16'), cidr('10.0.0.0/8')));
  t.ok(contains(cidr('fd00::/16'), cidr('fd00:1::/64')));
  t.notOk(contains(cidr('::/0'), cidr('10.0.0.0/8')), 'of another family');
  t.ok(overlaps(cidr('10.1.0.0/16'), cidr('10.0.0.0/8')));
  t.notOk(overlaps(cidr('10.1.0.0/24'), cidr('10.1.1.0/24')));
  t.end();
});
