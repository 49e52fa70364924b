import t from 'tap';
import { itemsOf, readXml, textAt } from '../../../../clouds/aws/instances/xml.ts';

const names = new Set(['a', 'b', 'c', 'list', 'item']);

await t.test('elements, text, paths and lists', (t) => {
  const root = readXml(
    '<?xml version="1.0"?>\n<a x="1"><b>one</b>\n <c><b> t&amp;w&#111;&#x21; </b></c><list><item><b>1</b></item><item/></list></a>\n',
    names,
  );
  t.equal(textAt(root, 'b'), 'one');
  t.equal(textAt(root, 'c', 'b'), 't&wo!');
  t.equal(textAt(root, 'c', 'nothing'), undefined);
  t.equal(textAt(root, 'c'), undefined, 'no text is no text');
  t.same(
    itemsOf(root, 'list').map((item) => textAt(item, 'b')),
    ['1', undefined],
  );
  t.same(itemsOf(root, 'nothing'), []);
  t.end();
});

await t.test('what is not wanted is left out, with all below it', (t) => {
  const root = readXml('<a><tags><item><b>no</b></item></tags><b>yes</b></a>', names);
  t.same(
    root?.children.map(({ name }) => name),
    ['b'],
  );
  t.end();
});

const broken = [
  '',
  ' ',
  'text',
  '<a>',
  '<a><b></a></b>',
  '<a></a><a></a>',
  '</a>',
  '<a></a></a>',
  '<a>1 < 2</a>',
  '<a><b>cut of',
  '<a><b>1</b></a>trailing<',
  '{"a":1}',
  '<!DOCTYPE a [<!ENTITY x "y">]><a/>',
  '<a><![CDATA[x]]></a>',
  '<a'.repeat(10_000),
  '<a>'.repeat(10_000),
];
for (const text of broken) {
  await t.test(`not ours to read: ${JSON.stringify(text.slice(0, 30))}`, (t) => {
    t.equal(readXml(text, names), undefined);
    t.end();
  });
}

await t.test('undefined entities and invalid character numbers are ignored', (t) => {
  t.equal(textAt(readXml('<a><b>x&bomb;&#9999999;&__proto__;y</b></a>', names), 'b'), 'xy');
  t.end();
});

await t.test('ten megabytes are read in a second or two', (t) => {
  const text = `<a>${'<list><item><b>text &amp; more</b></item></list>'.repeat(220_000)}</a>`;
  const before = process.cpuUsage();
  t.equal(readXml(text, names)?.children.length, 220_000);
  t.ok(process.cpuUsage(before).user < 5_000_000, 'in microseconds of the processor');
  t.end();
});
