import t from 'tap';
import { element, reference } from '../../../clouds/vsphere/soap/envelope.ts';
import { childOf, readSoapXml, textAt } from '../../../clouds/vsphere/soap/xml.ts';

await t.test('names have no prefix, and the type of a reference is not that of XML Schema', (t) => {
  const xml =
    '<?xml version="1.0"?><s:a xmlns:s="urn:s"><b type="Folder" xsi:type="ManagedObjectReference"> group-1 </b></s:a>';
  const root = readSoapXml(xml);
  t.equal(root?.name, 'a');
  t.match(childOf(root, 'b'), { type: 'Folder' });
  t.equal(textAt(root, 'b'), 'group-1');
  t.equal(textAt(root, 'c', 'd'), undefined);
  t.end();
});

await t.test('the predefined entities, numbers of characters and CDATA are text', (t) => {
  t.equal(textAt(readSoapXml('<a><b>&lt;&#39;&#x41;&amp;amp;<![CDATA[<c>]]></b></a>'), 'b'), "<'A&amp;<c>");
  t.end();
});

await t.test('what is no complete document is refused, and so is one with entities of its own', (t) => {
  const texts = ['', 'text', '<a>', '<a></b>', '<a/><b/>', '<a>&x;</a>', '<a b></a>', '<a>&#0;</a>'];
  const billion = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><a>&y;</a>';
  for (const text of [...texts, billion, '<!doctype a><a/>']) t.equal(readSoapXml(text), undefined, text);
  t.end();
});

await t.test('what is sent is read back as it was', (t) => {
  for (const text of [`a<b>&"c"'d'`, '</password><x>', ']]>', 'ä€😀', '&amp;', 'a\tb\nc\rd', ' a ']) {
    const xml = `<a>${element('b', text)}${reference('c', { type: 'T"', id: text })}</a>`;
    t.equal(childOf(readSoapXml(xml), 'b')?.text, text);
    t.match(childOf(readSoapXml(xml), 'c'), { type: 'T"', text });
  }
  t.equal(element('a', '\u0000b\u0007\ud800\uffff'), '<a>b</a>', 'what XML cannot have is left out');
  t.end();
});
