import { access, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { readSourceTree } from '../../build/checks/source-tree.ts';
import { projectDirectory } from '../../build/project.ts';
import { program as ccm } from '../../ccm/program.ts';
import { program as credentialProvider } from '../../credential-provider/program.ts';
import { parseCommandLine } from '../../lib/command-line/command-line.ts';
import { program as nodeAgent } from '../../node-agent/program.ts';
import { documentedCommands } from './shell-commands.ts';

const programs = [ccm, nodeAgent, credentialProvider];
const built = [...programs.map(({ name }) => name), 'polycloud-credential-provider-front'];
const { scripts } = JSON.parse(await readFile(join(projectDirectory, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const buildOptions = ['--arch', 'x64', 'arm64', '--images', '--help'];

await t.test('the words of commands', (t) => {
  const commands = documentedCommands(
    'text\n```sh\n# all\nX=1 a --b="c d" | e \'f g\' > h # i\nfor n in 1 2; do j $n \\\n  k; done\n```\n```text\nno\n```\n',
  );
  t.same(
    commands.map(({ words, line }) => [line, ...words]),
    [
      [4, 'a', '--b=c d'],
      [4, 'e', 'f g'],
      [4, 'h'],
      [5, 'for', 'n', 'in', '1', '2'],
      [5, 'j', '$n', 'k'],
    ],
  );
  t.end();
});

await t.test('a wrong command is found', async (t) => {
  const wrong = [
    ['polycloud-ccm', '--cloud-providers', 'aws'],
    ['$DIR/polycloud-credential-provider', 'doktor', 'IMAGE'],
    ['npm', 'run', 'demos'],
    ['npm', 'run', 'build', '--', '--arc', 'x64'],
    ['npm', 'test', '--', 'test/none'],
    ['dist/linux-x64/polycloud-agent', 'status'],
    ['scp', 'dist/linux-x64/polycloud', 'root@$NODE:'],
    ['helm', 'install', 'polycloud', 'charts/none'],
    ['skopeo', 'copy', 'oci-archive:dist/images/polycloud.tar', 'docker://x'],
    ['ssh', 'root@$NODE', 'polycloud-node-agent', 'stat'],
  ];
  for (const words of wrong) t.ok(await mistakeIn(words), words.join(' '));
});

await t.test('every command in the docs is one that there is', async (t) => {
  const pages = (await readSourceTree(projectDirectory)).filter(({ path }) => path.endsWith('.md'));
  const commands = pages.flatMap(({ path, text }) => documentedCommands(text).map((each) => ({ path, ...each })));
  const mistakes: string[] = [];
  for (const { path, line, words } of commands) {
    const mistake = await mistakeIn(words);
    if (mistake !== undefined) mistakes.push(`${path}:${line}: ${words.join(' ')}: ${mistake}`);
  }
  t.same(mistakes, []);
  t.ok(commands.filter(({ words: [file = ''] }) => programOf(file)).length > 20, 'commands of our programs were found');
});

await t.test('each quick start of the README has at most four commands', async (t) => {
  const readme = await readFile(join(projectDirectory, 'README.md'), 'utf8');
  const sections = readme.split(/^## /m).find((text) => text.startsWith('Quick starts')) ?? '';
  const blocks = sections
    .split('```sh\n')
    .slice(1)
    .map((text) => text.split('```', 1)[0] ?? '');
  t.ok(blocks.length >= 3);
  for (const block of blocks) t.ok(block.trimEnd().split('\n').length <= 4, block);
});

async function mistakeIn(words: readonly string[]): Promise<string | undefined> {
  const [file = '', ...args] = words;
  if (file === 'ssh') return mistakeIn(args.slice(1));
  if (file === 'npm') return mistakeOfNpm(args);
  const program = programOf(file);
  if (program !== undefined) {
    const parsed = parseCommandLine(program, args);
    if (parsed.kind === 'wrong-usage') return parsed.reason;
  }
  const missing = await Promise.all(words.map(missingFile));
  return missing.find((each) => each !== undefined);
}

function programOf(file: string): (typeof programs)[number] | undefined {
  return programs.find(({ name }) => name === basename(file));
}

async function mistakeOfNpm(args: readonly string[]): Promise<string | undefined> {
  const script = args[0] === 'run' ? args[1] : args[0];
  if (script !== 'ci' && script !== 'install' && scripts[script ?? ''] === undefined) return `no script ${script}`;
  const given = args.includes('--') ? args.slice(args.indexOf('--') + 1) : [];
  const unknown = script === 'build' ? given.find((each) => !buildOptions.includes(each)) : undefined;
  if (unknown !== undefined) return `npm run build knows no ${unknown}`;
  const missing = await Promise.all(given.filter((each) => each.startsWith('test/')).map(missingPath));
  return missing.find((each) => each !== undefined);
}

/** Files that the build makes, and those of the repository. */
async function missingFile(word: string): Promise<string | undefined> {
  const [executable] = /dist\/linux-[^\s:]+/.exec(word) ?? [];
  if (executable !== undefined && !built.includes(basename(executable))) return `nothing builds ${executable}`;
  const [, image] = /dist\/images\/([^\s:]+)\.tar/.exec(word) ?? [];
  if (image !== undefined) {
    const pattern = new RegExp(`^${image.replaceAll(/\$\w+/g, '.+')}$`);
    return programs.some(({ name }) => pattern.test(name)) ? undefined : `nothing builds the image ${image}`;
  }
  return /^(?:charts|docs|test|bench|build)\//.test(word) ? missingPath(word) : undefined;
}

async function missingPath(path: string): Promise<string | undefined> {
  const exists = await access(join(projectDirectory, path)).then(
    () => true,
    () => false,
  );
  return exists ? undefined : `${path} does not exist`;
}
