import { capabilityTests } from '../../test/support/capability-tests.ts';
import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

/** Each capability in a cloud's traits has its test: the support table lists nothing else. */
export function checkCapabilityTests(files: readonly SourceFile[]): readonly StructureFinding[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return files.flatMap(({ path, text }) => {
    const cloud = /^clouds\/(?<name>[^/]+)\/traits\.ts$/.exec(path)?.groups?.['name'];
    if (cloud === undefined) return [];
    const stated = /\bcapabilities: \[(?<list>[^\]]*)\]/.exec(text)?.groups?.['list'] ?? '';
    return Object.entries(capabilityTests).flatMap(([capability, { file, suite = '' }]) => {
      if (!stated.includes(`'${capability}'`)) return [];
      const test = `test/clouds/${cloud}/${file}`;
      return texts.get(test)?.includes(suite) === true ? [] : [untested(path, capability, test, suite)];
    });
  });
}

function untested(path: string, capability: string, test: string, suite: string): StructureFinding {
  const what = suite === '' ? `write ${test}` : `run ${suite} in ${test}`;
  const remedy = `${what}, or leave ${capability} out`;
  return { path, line: 1, what: `states ${capability} without its test`, rule: 'capability-tests', remedy };
}
