import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { projectDirectory } from './project.ts';
import { run } from './run.ts';
import { readScriptOptions, refuseUsage } from './script-options.ts';
import { checkStructure } from './checks/check-structure.ts';
import { formatFinding } from './checks/finding.ts';
import { listSmallFiles } from './checks/small-files.ts';
import { readSourceTree } from './checks/source-tree.ts';

interface CheckOutcome {
  readonly ok: boolean;
  readonly output: string;
  /** Beside the time that the check took. */
  readonly note?: string;
}

interface Check {
  readonly name: string;
  run(root: string): Promise<CheckOutcome>;
}

/** With a cache, so that a second check reads only changed files. */
const prettierArguments = ['--check', '--log-level=warn', '--cache', '--cache-strategy=content'];

/** The slowest first, so that no slow check runs alone at the end. */
const checks: readonly Check[] = [
  { name: 'format', run: (root) => runTool(root, 'prettier/bin/prettier.cjs', [...prettierArguments, '.']) },
  { name: 'unused', run: (root) => runTool(root, 'knip/bin/knip.js', ['--no-progress', '--no-config-hints']) },
  { name: 'types', run: (root) => runTool(root, 'typescript/bin/tsc', ['--project', root]) },
  {
    name: 'lint',
    run: (root) => runTool(root, 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', '--format=unix', '.']),
  },
  { name: 'structure', run: runStructure },
  { name: 'generated', run: runGenerated },
  { name: 'small-files', run: runSmallFiles },
];
/** For machines with two cores. */
const checksAtOnce = 2;
const tools = join(projectDirectory, 'node_modules');

const command = 'npm run check';
const names = checks.map(({ name }) => name).join(', ');
const text = `Checks types, style, structure and generated files.

  --only NAMES  only these checks, separated by commas: ${names}
  --root DIR    of another copy of the repository
`;

await main();

async function main(): Promise<void> {
  const { values } = readScriptOptions(
    { command, text },
    { options: { root: { type: 'string' }, only: { type: 'string' } } },
  );
  const root = resolve(values.root ?? projectDirectory);
  const chosen = choose(values.only);
  const outcomes = await runAll(chosen, root);
  const failures = outcomes.filter(({ ok }) => !ok);
  const shown = values.only === undefined ? failures : outcomes.filter(({ output }) => output !== '');
  for (const { name, output } of shown) print(`\n${name}:\n${output.trimEnd()}`);
  print(failures.length === 0 ? 'check: ok' : `check: failed in ${failures.map(({ name }) => name).join(', ')}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function choose(only: string | undefined): readonly Check[] {
  if (only === undefined) return checks;
  return only.split(',').map((name) => {
    const check = checks.find((each) => each.name === name);
    if (check !== undefined) return check;
    return refuseUsage(command, `--only names ${name}, and there are ${names}`);
  });
}

interface NamedOutcome extends CheckOutcome {
  readonly name: string;
}

async function runAll(chosen: readonly Check[], root: string): Promise<readonly NamedOutcome[]> {
  const waiting = [...chosen];
  const outcomes: NamedOutcome[] = [];
  async function work(): Promise<void> {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      outcomes.push({ name: check.name, ...(await runTimed(check, root)) });
    }
  }
  await Promise.all(Array.from({ length: checksAtOnce }, work));
  return outcomes;
}

async function runTimed(check: Check, root: string): Promise<CheckOutcome> {
  const startedAtMs = performance.now();
  const outcome = await check.run(root);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  const result = `${outcome.ok ? 'ok    ' : 'failed'}  ${check.name.padEnd(11)} ${seconds.padStart(5)} s`;
  print(outcome.note === undefined ? result : `${result}  ${outcome.note}`);
  return outcome;
}

async function runStructure(root: string): Promise<CheckOutcome> {
  const findings = await checkStructure(root);
  return { ok: findings.length === 0, output: findings.map(formatFinding).join('\n') };
}

/** Never fails: some small files are right. `npm run check -- --only small-files` prints the list. */
async function runSmallFiles(root: string): Promise<CheckOutcome> {
  const list = listSmallFiles(await readSourceTree(root));
  return { ok: true, output: list.join('\n'), note: `${list.length} with a single importer` };
}

/** The generated files are compared with what would be generated now. */
async function runGenerated(root: string): Promise<CheckOutcome> {
  const script = join(root, 'build', 'generated', 'generate.ts');
  const exists = await access(script).then(
    () => true,
    () => false,
  );
  return exists ? runNode(root, [script, '--check']) : { ok: true, output: '' };
}

function runTool(root: string, tool: string, args: readonly string[]): Promise<CheckOutcome> {
  return runNode(root, [join(tools, tool), ...args]);
}

async function runNode(root: string, args: readonly string[]): Promise<CheckOutcome> {
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: root, stdin: '' });
  return { ok: code === 0, output: stdout + stderr };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
