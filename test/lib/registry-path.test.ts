import t from 'tap';
import { parseImageReference } from '../../lib/image-reference.ts';
import { covers, parseRegistryPath } from '../../lib/registry-path.ts';

await t.test('a pattern is read as registry and path', (t) => {
  t.strictSame(parseRegistryPath('registry.example'), { registry: 'registry.example', path: '' });
  t.strictSame(parseRegistryPath('registry.example/'), { registry: 'registry.example', path: '' });
  t.strictSame(parseRegistryPath('registry.example:5000/team'), { registry: 'registry.example:5000', path: 'team' });
  t.strictSame(parseRegistryPath('registry.example/team/app//'), { registry: 'registry.example', path: 'team/app' });
  t.end();
});

const rows: readonly (readonly [pattern: string, image: string, covered: boolean])[] = [
  ['registry.example', 'registry.example/app', true],
  ['registry.example', 'registry.example/team/app:1', true],
  ['registry.example/team', 'registry.example/team/app', true],
  ['registry.example/team/', 'registry.example/team/app', true],
  ['registry.example/team', 'registry.example/team', true],
  ['registry.example/team', 'registry.example/team:1', true],
  ['registry.example/team/app', 'registry.example/team/app@sha256:00', true],
  ['registry.example:5000', 'registry.example:5000/app', true],
  ['docker.io', 'library/app', true],
  ['registry.example/team', 'registry.example/teammate/app', false],
  ['registry.example/team/app', 'registry.example/team', false],
  ['registry.example', 'sub.registry.example/app', false],
  ['registry.example', 'registry.example.evil.example/app', false],
  ['registry.example', 'registry.example:5000/app', false],
  ['registry.example:5000', 'registry.example/app', false],
  ['registry.example:443', 'registry.example:5000/app', false],
];

for (const [pattern, image, covered] of rows) {
  await t.test(`${pattern} ${covered ? 'covers' : 'does not cover'} ${image}`, (t) => {
    const reference = parseImageReference(image);
    t.ok(reference);
    if (reference) t.equal(covers(parseRegistryPath(pattern), reference), covered);
    t.end();
  });
}
