import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { differences, improvements } from './improvements.ts';
import { acrCases } from './acr-cases.ts';
import { ecrCases } from './ecr-cases.ts';

const guide = readFileSync(join(projectDirectory, 'docs/guides/replace-a-provider.md'), 'utf8');

await t.test('the guide lists what is answered otherwise, and nothing else', (t) => {
  const [, text = ''] = guide.split('## What is answered otherwise, and why');
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  t.strictSame(
    rows,
    Object.values(improvements).map(({ what, theirs, ours }) => [what, theirs, ours]),
  );
  t.end();
});

await t.test('every one of them that can be compared is compared', (t) => {
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
