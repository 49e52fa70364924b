import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { emulationPackages } from '../../build/executables/emulation.ts';
import { projectDirectory } from '../../build/project.ts';
import { program as ccm } from '../../ccm/program.ts';
import { program as credentialProvider } from '../../credential-provider/program.ts';
import { program as nodeAgent } from '../../node-agent/program.ts';

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

const directory = join(projectDirectory, '.github/workflows');
const names = await readdir(directory);
const steps = (
  await Promise.all(
    names.map(async (name) => {
      const { jobs } = parse(await readFile(join(directory, name), 'utf8')) as Workflow;
      return Object.values(jobs).flatMap((job) => job.steps);
    }),
  )
).flat();
const commands = steps.flatMap(({ run = '' }) => run.split(/\n|&&/).map((line) => line.trim()));
const { scripts } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

await t.test('the workflows run npm commands that there are', (t) => {
  const called = commands.flatMap((line) => /^npm (?:run )?(?<script>[\w:-]+)/.exec(line)?.groups?.['script'] ?? []);
  t.ok(called.includes('release'));
  for (const script of called) t.type(scripts[script], 'string', script);
  t.end();
});

await t.test('and files that there are', async (t) => {
  const files = commands.flatMap((line) => /^bash (?<file>\S+)/.exec(line)?.groups?.['file'] ?? []);
  t.strictSame(files, ['.ci/run']);
  for (const file of files) await t.resolves(access(join(projectDirectory, file)), file);
});

await t.test('no action of third parties is used', (t) => {
  for (const { uses } of steps) t.match(uses ?? 'actions/none@v1', /^actions\/[a-z-]+@v\d+$/);
  t.end();
});

await t.test('the release pushes every image, and installs the tools for the other architecture', (t) => {
  const text = commands.join('\n');
  for (const { name } of [ccm, nodeAgent, credentialProvider]) t.match(text, new RegExp(`\\b${name}\\b`));
  // The release is made on x64.
  const emulation = process.arch === 'x64' ? emulationPackages('arm64') : [];
  for (const tool of ['gcc', 'gcc-aarch64-linux-gnu', ...emulation]) t.ok(text.split(/\s+/).includes(tool), tool);
  t.end();
});
