import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';

const page = readFileSync(join(projectDirectory, 'SECURITY.md'), 'utf8');
const paths = [...page.matchAll(/`(?<path>test\/[^`]+)`/g)].map(({ groups }) => groups?.['path'] ?? '');

await t.test('every test that SECURITY.md names is there', async (t) => {
  t.ok(paths.length > 50, `${paths.length} names`);
  for (const path of new Set(paths)) t.ok(path.endsWith('.test.ts') && existsSync(join(projectDirectory, path)), path);
});

await t.test('every statement of SECURITY.md names its test', async (t) => {
  const statements = page.split(/^(?=- )/m).slice(1);
  t.ok(statements.length > 40, `${statements.length} statements`);
  for (const statement of statements) t.match(statement, /^ {2}- `test\//m, statement.slice(0, 80));
});
