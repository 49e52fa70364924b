import t from 'tap';
import { parseJson } from '../../lib/json.ts';

await t.test('JSON is parsed, and null is a value like others', (t) => {
  t.strictSame(parseJson('{"a":[1,"b",null]}'), { a: [1, 'b', null] });
  t.equal(parseJson('null'), null);
  t.equal(parseJson(' 1\n'), 1);
  t.end();
});

for (const text of ['', ' ', '{', '{}{}', "{'a':1}", 'undefined', '\ufeff{}', '<html>', '{"a":1,}']) {
  await t.test(`${JSON.stringify(text)} is not JSON`, (t) => {
    t.equal(parseJson(text), undefined);
    t.end();
  });
}

await t.test('a key cannot change what all objects inherit', (t) => {
  parseJson('{"__proto__":{"polluted":true}}');
  t.notOk('polluted' in {});
  t.end();
});
