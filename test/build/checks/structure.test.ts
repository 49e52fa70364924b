import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { checkStructure } from '../../../build/checks/check-structure.ts';
import { formatFinding } from '../../../build/checks/finding.ts';

await t.test('the repository keeps its own rules', async (t) => {
  const findings = await checkStructure(projectDirectory);
  t.same(findings.map(formatFinding), []);
});
