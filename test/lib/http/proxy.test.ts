import t from 'tap';
import { proxyFor, readProxyVariables } from '../../../lib/http/proxy.ts';

await t.test('upper case goes before lower case, and empty is unset', (t) => {
  t.strictSame(readProxyVariables({}), { no: '' });
  t.strictSame(
    readProxyVariables({
      HTTP_PROXY: 'http://upper:1',
      http_proxy: 'http://lower:1',
      HTTPS_PROXY: '',
      https_proxy: 'http://lower:2',
      NO_PROXY: 'upper.example',
      no_proxy: 'lower.example',
    }),
    { http: 'http://upper:1', https: 'http://lower:2', no: 'upper.example' },
  );
  t.strictSame(readProxyVariables({ ALL_PROXY: 'http://all:1', all_proxy: 'http://all:1' }), { no: '' });
  t.end();
});

await t.test('each scheme has a proxy of its own', (t) => {
  const variables = { http: 'http://for-http:1', https: 'http://for-https:2', no: '' };
  t.equal(proxyFor(new URL('http://a.example'), variables), 'http://for-http:1');
  t.equal(proxyFor(new URL('https://a.example'), variables), 'http://for-https:2');
  t.equal(proxyFor(new URL('https://a.example'), { http: 'http://for-http:1', no: '' }), undefined);
  t.equal(proxyFor(new URL('http://a.example'), { https: 'http://for-https:1', no: '' }), undefined);
  t.end();
});

await t.test('a proxy without a scheme is an http one', (t) => {
  t.equal(proxyFor(new URL('https://a.example'), { https: 'proxy.example:3128', no: '' }), 'http://proxy.example:3128');
  t.equal(proxyFor(new URL('https://a.example'), { https: 'https://proxy.example', no: '' }), 'https://proxy.example');
  t.end();
});

for (const host of ['localhost', 'localhost:8080', '127.0.0.1', '127.9.8.7:1', '[::1]', '[::1]:8080', '127.1']) {
  await t.test(`${host} is this machine, and never goes through a proxy`, (t) => {
    t.equal(viaProxy(`https://${host}/`, ''), false);
    t.equal(viaProxy(`http://${host}/`, ''), false);
    t.end();
  });
}

for (const host of ['localhost.example', 'xlocalhost', '128.0.0.1', '127.0.0.1.example', '[::2]', '169.254.169.254']) {
  await t.test(`${host} is not this machine`, (t) => {
    t.equal(viaProxy(`https://${host}/`, ''), true);
    t.end();
  });
}

/** As golang.org/x/net/http/httpproxy decides. */
const rows: readonly (readonly [noProxy: string, address: string, proxied: boolean])[] = [
  ['*', 'https://a.example', false],
  [' * ', 'https://a.example', false],
  ['b.example,*', 'https://a.example', false],
  ['', 'https://a.example', true],
  [',, ,', 'https://a.example', true],
  // A name is itself and everything below it.
  ['example', 'https://example', false],
  ['a.example', 'https://a.example', false],
  ['a.example', 'https://x.a.example', false],
  ['a.example', 'https://y.x.a.example', false],
  ['a.example', 'https://xa.example', true],
  ['a.example', 'https://a.example.evil.example', true],
  ['a.example', 'https://b.example', true],
  ['A.Example', 'https://a.example', false],
  [' a.example ', 'https://a.example', false],
  ['b.example, a.example', 'https://a.example', false],
  // A leading dot, or a star and a dot: only what is below.
  ['.a.example', 'https://x.a.example', false],
  ['.a.example', 'https://a.example', true],
  ['*.a.example', 'https://x.a.example', false],
  ['*.a.example', 'https://a.example', true],
  ['*.a.example', 'https://xa.example', true],
  ['.', 'https://a.example', true],
  // A star elsewhere is no pattern.
  ['*a.example', 'https://xa.example', true],
  ['a.*', 'https://a.example', true],
  // With a port: only that one, the scheme's own if none is written.
  ['a.example:443', 'https://a.example', false],
  ['a.example:443', 'https://x.a.example', false],
  ['a.example:80', 'http://a.example', false],
  ['a.example:80', 'https://a.example', true],
  ['a.example:8443', 'https://a.example:8443', false],
  ['a.example:8443', 'https://a.example', true],
  ['.a.example:8443', 'https://x.a.example:8443', false],
  ['a.example', 'https://a.example:8443', false],
  // Addresses.
  ['10.0.0.1', 'https://10.0.0.1', false],
  ['10.0.0.1', 'https://10.0.0.11', true],
  ['10.0.0.1:443', 'https://10.0.0.1', false],
  ['10.0.0.1:443', 'https://10.0.0.1:8443', true],
  ['fd00:ec2::254', 'http://[fd00:ec2::254]', false],
  ['[fd00:ec2::254]', 'http://[fd00:ec2::254]', true],
  ['[fd00:ec2::254]:80', 'http://[fd00:ec2::254]', false],
  ['[fd00:ec2::254]:8080', 'http://[fd00:ec2::254]', true],
  ['FD00:EC2:0:0::254', 'http://[fd00:ec2::254]', false],
  // Networks.
  ['10.0.0.0/8', 'https://10.255.0.1', false],
  ['10.0.0.0/8', 'https://10.255.0.1:8443', false],
  ['10.0.0.0/8', 'https://11.0.0.1', true],
  ['169.254.0.0/16', 'http://169.254.169.254', false],
  ['10.0.0.1/32', 'https://10.0.0.1', false],
  ['0.0.0.0/0', 'https://1.2.3.4', false],
  ['10.9.9.9/8', 'https://10.0.0.1', false],
  ['fd00::/8', 'http://[fd00:ec2::254]', false],
  ['fd00::/8', 'http://[fe80::1]', true],
  ['fd00::/8', 'https://10.0.0.1', true],
  ['10.0.0.0/8', 'https://10.example', true],
  ['10.0.0.0/33', 'https://10.0.0.1', true],
  ['10.0.0.0/', 'https://10.0.0.1', true],
  ['10.0.0.0/x', 'https://10.0.0.1', true],
  ['a.example/8', 'https://a.example', true],
  ['fd00::/129', 'http://[fd00::1]', true],
  // Not a rule at all.
  [':443', 'https://a.example', true],
  ['https://a.example', 'https://a.example', true],
];

for (const [noProxy, address, proxied] of rows) {
  await t.test(`NO_PROXY=${JSON.stringify(noProxy)} ${proxied ? 'does not exempt' : 'exempts'} ${address}`, (t) => {
    t.equal(viaProxy(address, noProxy), proxied);
    t.end();
  });
}

function viaProxy(address: string, noProxy: string): boolean {
  const proxy = 'http://proxy.example:3128';
  return proxyFor(new URL(address), { http: proxy, https: proxy, no: noProxy }) !== undefined;
}
