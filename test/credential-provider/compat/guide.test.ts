import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { differences, improvements } from './improvements.ts';
import { acrCases } from './acr-cases.ts';
import { ecrCases } from './ecr-cases.ts';

const guide = readFileSync(join(projectDirectory, 'docs/guides/replace-a-provider.md'), 'utf8');

await t.test('the guide lists every intended difference, and nothing else', (t) => {
  const [, list = ''] = guide.split('## Differences');
  const items = list
    .split(/^- /m)
    .slice(1)
    .map((item) => item.replaceAll(/\s+/g, ' ').trim());
  t.strictSame(
    items,
    Object.values(improvements).map(({ what, theirs, ours }) => `${what}: - Go program: ${theirs}. - Here: ${ours}.`),
  );
  t.end();
});

await t.test('each difference that can be compared is compared', (t) => {
  const met = new Set([...acrCases, ...ecrCases].flatMap((each) => each.improvements ?? []));
  const left = Object.entries(improvements).filter(
    ([name, { differsIn }]) => differsIn.length > 0 && !met.has(name as keyof typeof improvements),
  );
  t.strictSame(
    left.map(([name]) => name),
    ['cache'],
  );
  t.ok(
    differences.every((difference) =>
      Object.values(improvements).some((each) => (each.differsIn as readonly string[]).includes(difference)),
    ),
  );
  t.end();
});
