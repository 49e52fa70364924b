import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Architecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { runFile } from './run-file.ts';

// The command lines of the executables, without a cluster and without a cloud.
const [provider, agent, ccm] = ['polycloud-credential-provider', 'polycloud-node-agent', 'polycloud-ccm'];
const directory = mkdtempSync(join(tmpdir(), 'polycloud-'));
t.teardown(() => rmSync(directory, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};
const inventory = file('inventory.yaml', 'machines:\n  - nam: a\n');
const files = {
  right: file('right.yaml', `static: { inventoryFile: ${inventory} }\n`),
  wrong: file('wrong.yaml', 'aws:\n  scops: []\nclouds: 3\n'),
  absent: join(directory, 'absent'),
};

function pathOf(name: string): string {
  return executablePath(name, process.arch as Architecture);
}

interface Case {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

const nothing = /^$/;

const cases: Readonly<Record<string, readonly Case[]>> = {
  [provider]: [
    {
      args: ['help', 'doctor'],
      code: 0,
      stdout: /^Log in for an image .*\n\nUsage: \S+ doctor IMAGE .*[^]*--token-file/,
    },
    { args: ['config'], code: 2, stderr: /^\S+: config needs a command; hint: .*\n\nUsage: \S+ config lint PATH…/ },
    { args: ['doctr', 'nginx'], code: 2, stderr: /unknown argument "doctr"; hint: did you mean "doctor"\? / },
    {
      args: ['doctor', 'nginx', '--annotations', 'x'],
      code: 2,
      stderr: /--annotations cannot be read; hint: write KEY=/,
    },
    { args: ['config', 'print', '--cloud', 'aw'], code: 2, stderr: /--cloud names "aw", which is not a known cloud/ },
    { args: ['config', 'print', '--cloud', 'static'], code: 1, stderr: /there is no registry host for static/ },
    { args: ['config', 'print', '-o', 'json', '--cloud', 'gcp'], code: 0, stdout: /^\{\n {2}"apiVersion": "kubelet/ },
    { args: ['config', 'print', '-o', 'text'], code: 2, stderr: /-o needs one of yaml, json/ },
    {
      args: ['config', 'lint', files.wrong],
      code: 1,
      stdout: /^error \S+:2: aws\.scops is not a known key; hint: did you/,
    },
    { args: ['config', 'lint', files.wrong, '-o', 'json'], code: 1, stdout: /^\{\n {2}"ok": false,[^]*"unknown-key"/ },
    { args: ['config', 'lint', files.right], code: 0, stdout: /^polycloud starts with this\n$/ },
    { args: ['doctor', 'https://nginx', '--json'], code: 1, stdout: /"code": "misconfigured",[^]*begin with a scheme/ },
    { args: ['doctor', 'nginx'], code: 0, stdout: /docker\.io\/library\/nginx: the kubelet needs no login/ },
  ],
  [agent]: [
    { args: ['status', '--help'], code: 0, stdout: /^Show what the agent on this machine [^]*--status-socket/ },
    { args: ['status', '-o', 'yaml'], code: 2, stderr: /-o needs one of text, json; hint: see \S+ status --help/ },
    { args: ['status', '--status-socket', files.absent], code: 1, stderr: /no agent answers at/ },
    { args: ['--node-name', 'a', '--cloud', 'awz', '--config', files.absent], code: 2, stderr: /--cloud names "awz"/ },
    { args: ['--node-name', 'a', '--config', files.absent], code: 1, stderr: /absent does not exist/ },
    { args: ['--cloud', 'aws', 'statsu'], code: 2, stderr: /did you mean "status"\?/ },
  ],
  [ccm]: [
    { args: ['explain', '-h'], code: 0, stdout: /^Show what is known of a Node[^]*--cloud-provider NAMES/ },
    { args: ['explain'], code: 2, stderr: /explain needs NODE; hint: see \S+ explain --help/ },
    {
      args: ['status', '--kubeconfig', files.absent],
      code: 1,
      stderr: /--kubeconfig names \S+absent, which does not exist/,
    },
    { args: ['--cloud-providr', 'aws'], code: 2, stderr: /did you mean "--cloud-provider"\?/ },
    {
      args: ['--cloud-provider', 'aws', '--leader-elect-retry-period', '0s', '--cloud-config', files.wrong],
      code: 2,
      stderr: /--leader-elect-retry-period is 0/,
    },
    {
      args: ['--cloud-provider', 'aws', '--cloud-config', files.wrong, '--kubeconfig', files.absent],
      code: 1,
      stderr:
        /wrong\.yaml, line 2: aws\.scops is not .*1 more mistake\nline 3: clouds is not a known key; hint: remove it/,
    },
  ],
};

/** The same in all programs. */
const shared: readonly Case[] = [
  { args: ['-h'], code: 0, stdout: /^[A-Z].*\.\n\nUsage: \S+ \[OPTION\]…\n[^]*-h, --help/ },
  { args: ['help'], code: 0, stdout: /Commands:\n[^]* completion bash\|zsh\|fish / },
  { args: ['version'], code: 0, stdout: /^polycloud-\S+ \S+ commit \S+ Node \d+\.\d+\.\d+\n$/ },
  { args: ['version', '-o', 'json'], code: 0, stdout: /^\{"name":"polycloud-[a-z-]+","version":".*"\}\n$/ },
  { args: ['completion', 'fish'], code: 0, stdout: /^# Completion of polycloud-/ },
  { args: ['completion', 'tcsh'], code: 2, stderr: /completion needs one of bash, zsh, fish/ },
  { args: ['--versoin'], code: 2, stderr: /did you mean "--version"\?/ },
];

for (const [program, own] of Object.entries(cases)) {
  await t.test(program, async (t) => {
    for (const { args, code, stdout = nothing, stderr = nothing } of [...shared, ...own]) {
      t.match(await runFile(pathOf(program), { args, env: {} }), { code, stdout, stderr }, args.join(' '));
    }
  });

  await t.test(`bash completes the commands of ${program}`, async (t) => {
    const script = [
      `source <(${pathOf(program)} completion bash)`,
      `COMP_WORDS=(${program} ver) COMP_CWORD=1`,
      `_${program.replaceAll('-', '_')}`,
      'echo "${COMPREPLY[@]}"; complete -p',
    ].join('\n');
    const { stdout } = await runFile('/bin/bash', { args: ['--norc', '-c', script], env: {} });
    t.match(stdout, new RegExp(`^version\ncomplete -F \\S+ ${program}\n$`));
  });
}

await t.test('doctor and config work through the link of another provider', async (t) => {
  for (const name of ['ecr-credential-provider', 'acr-credential-provider', 'auth-provider-gcp']) {
    const link = join(directory, name);
    symlinkSync(pathOf(provider), link);
    t.match(await runFile(link, { args: ['doctor', 'nginx'], env: {} }), { code: 0, stdout: /needs no login/ }, name);
    const linted = await runFile(link, { args: ['config', 'lint', files.right], env: {} });
    t.match(linted, { code: 0, stdout: /^polycloud starts with this\n$/ }, name);
    t.match(
      await runFile(link, { args: ['--version'], env: {} }),
      { stdout: new RegExp(`^${name} `) },
      'still emulated',
    );
  }
});

await t.test('colours only on a terminal, and without NO_COLOR', async (t) => {
  const onTerminal = (env: Readonly<Record<string, string>>) =>
    runFile('/usr/bin/script', {
      args: ['-qec', `${pathOf(provider)} config lint ${files.wrong}`, '/dev/null'],
      env: { TERM: 'xterm', ...env },
    });
  const red = await onTerminal({});
  t.equal(red.code, 1);
  t.ok(red.stdout.startsWith('\u001B[31merror\u001B[39m '), red.stdout);
  t.match(await onTerminal({ NO_COLOR: '1' }), { code: 1, stdout: /^error / });
});
