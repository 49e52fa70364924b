import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { checkStructure } from '../../../build/checks/check-structure.ts';
import { formatFinding } from '../../../build/checks/finding.ts';

await t.test('the repository keeps its own rules', async (t) => {
  const findings = await checkStructure(projectDirectory);
  t.same(findings.map(formatFinding), []);
});

// oxlint ignores a pattern that it cannot compile, without a message.
await t.test('the linter can read the patterns of the import rule', (t) => {
  const configuration = readFileSync(join(projectDirectory, '.oxlintrc.json'), 'utf8');
  t.match(configuration, /"regex": /);
  t.notMatch(configuration, /"regex": "[^"]*\(\?(?:[=!]|<[=!])/, 'look-around');
  t.end();
});
