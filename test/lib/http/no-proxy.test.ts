import { readFileSync } from 'node:fs';
import t from 'tap';
import { proxyFor } from '../../../lib/http/proxy.ts';

interface Decisions {
  readonly urls: readonly string[];
  readonly rules: readonly { readonly noProxy: string; readonly proxied: string }[];
}

const file = new URL('../../fixtures/no-proxy/decisions.json', import.meta.url);
const { urls, rules } = JSON.parse(readFileSync(file, 'utf8')) as Decisions;
const proxy = 'http://proxy.example:3128';

for (const { noProxy, proxied } of rules) {
  await t.test(`NO_PROXY=${JSON.stringify(noProxy)} exempts what Go exempts`, (t) => {
    const variables = { http: proxy, https: proxy, no: noProxy };
    const ours = urls.map((url) => [url, proxyFor(new URL(url), variables) !== undefined]);
    const expected = urls.map((url, index) => [url, proxied[index] === '1']);
    t.strictSame(ours, expected);
    t.end();
  });
}
