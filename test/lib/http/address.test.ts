import t from 'tap';
import { parseHttpAddress } from '../../../lib/http/address.ts';

for (const text of ['http://127.0.0.1:4566', 'https://a.example/b?c', 'HTTP://A.Example', 'http://[::1]:1']) {
  await t.test(`${text} can be asked`, (t) => {
    t.equal(parseHttpAddress(text)?.href, new URL(text).href);
    t.end();
  });
}

const others = [
  '',
  ' ',
  'a.example',
  'localhost:4566',
  '127.0.0.1:4566',
  '//a.example',
  '/path',
  'http://',
  'https:///',
];
for (const text of [
  ...others,
  'ftp://a.example',
  'file:///etc/passwd',
  'mailto:x',
  'http://a b',
  'http://a.example:99999',
]) {
  await t.test(`${JSON.stringify(text)} cannot`, (t) => {
    t.equal(parseHttpAddress(text), undefined);
    t.end();
  });
}
