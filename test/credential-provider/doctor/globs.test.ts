import t from 'tap';
import { matchesImage } from '../../../credential-provider/doctor/globs.ts';

/** Kubernetes' own table (pkg/credentialprovider, keyring_test.go, v1.37), and behind it what stands in no table. */
const table: ReadonlyArray<readonly [pattern: string, image: string, matches: boolean]> = [
  ['*.kubernetes.io', 'prefix.kubernetes.io', true],
  ['prefix.*.io', 'prefix.kubernetes.io', true],
  ['prefix.kubernetes.*', 'prefix.kubernetes.io', true],
  ['*-good.kubernetes.io', 'prefix-good.kubernetes.io', true],
  ['*.kubernetes.io/blah', 'prefix.kubernetes.io/blah', true],
  ['prefix.*.io/foo', 'prefix.kubernetes.io/foo/bar', true],
  ['*.kubernetes.io:1111/blah', 'prefix.kubernetes.io:1111/blah', true],
  ['prefix.*.io:1111/foo', 'prefix.kubernetes.io:1111/foo/bar', true],
  ['*.kubernetes.io', 'kubernetes.io', false],
  ['*.*.kubernetes.io', 'prefix.kubernetes.io', false],
  ['*.*.kubernetes.io', 'kubernetes.io', false],
  ['*kubernetes.io', 'a.kubernetes.io', false],
  ['*kubernetes.io', 'kubernetes.io', true],
  ['*.*.*.kubernetes.io', 'a.b.c.kubernetes.io', true],
  ['kubernetes.io', 'kubernetes.com', false],
  ['k*.io', 'quay.io', false],
  ['*.kubernetes.io:1234/blah', 'prefix.kubernetes.io:1111/blah', false],
  ['prefix.*.io/foo', 'prefix.kubernetes.io:1111/foo/bar', false],
  ['registry.io', 'registry.io:5000/app', false],
  ['registry.io:5000', 'registry.io/app', false],
  ['registry.io/foo', 'registry.io/foobar', true],
  ['registry.io/foo/*', 'registry.io/foo/bar', false],
  ['*.azurecr.io', 'acme.westeurope.geo.azurecr.io/app', false],
  ['*.*.geo.azurecr.io', 'acme.westeurope.geo.azurecr.io/app', true],
  ['registry?.io', 'registry1.io/app', true],
  ['registry[0-9].io', 'registry1.io/app', true],
  ['registry[^0-9].io', 'registry1.io/app', false],
  ['registry[0-9.io', 'registry1.io/app', false],
  ['[z-a].io', 'b.io/app', false],
  ['a+.io', 'aa.io/app', false],
  ['a(b).io', 'ab.io/app', false],
  ['[fd00::1]:5000', '[fd00::1]:5000/app', true],
  ['[fd00::1]:5000', '[fd00::1]:5001/app', false],
  ['[fd00::1]:5000', '[fd00::2]:5000/app', false],
  // Without a port Go leaves the brackets, and they stand for one of the characters in them.
  ['[fd00::1]', '[fd00::1]/app', false],
];

for (const [pattern, image, matches] of table) {
  await t.test(`${pattern} ${matches ? 'matches' : 'does not match'} ${image}`, (t) => {
    t.equal(matchesImage(pattern, image), matches);
    t.end();
  });
}
