import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';
import { run } from '../../build/run.ts';

// The program from its sources. A user who starts it for the first time has nothing right yet, and gets one problem at a
// time: first the flags, then the configuration, then the API server.
const program = join(projectDirectory, 'ccm/main.ts');
const files = t.testdir({
  'cloud.conf': '[Global]\nRegion = us-west-2\nVPC = vpc-1\nPassword = hidden\n',
  'right.yaml': 'static: { inventoryFile: /inventory.yaml }\n',
});
const noKubeconfig = ['--kubeconfig', join(files, 'no-kubeconfig')];

function start(...args: readonly string[]): ReturnType<typeof run> {
  return run('/usr/bin/env', ['-i', process.execPath, program, ...noKubeconfig, ...args], { cwd: files, stdin: '' });
}

const inOrder: ReadonlyArray<readonly [args: readonly string[], code: number, line: RegExp]> = [
  [[], 2, /--cloud-provider names no cloud; hint: /],
  [
    ['--cloud-provider', 'awss', '--cloud-config', 'gone.yaml'],
    2,
    /--cloud-provider names "awss", .*; hint: supported: /,
  ],
  [
    ['--cloud-provider', 'static', '--configure-cloud-routes'],
    2,
    /--configure-cloud-routes needs --cluster-cidr; hint: give the range of all pod CIDRs/,
  ],
  [['--cloud-provider', 'static', '--leader_elect=true'], 2, /unknown argument "--leader_elect"; hint: did you mean/],
  [['--cloud-provider', 'static', '--cloud-config', 'gone.yaml'], 1, /gone\.yaml does not exist; hint: /],
  [['--cloud-provider', 'static'], 1, /cloud static has no instances to look up as it is configured; hint: /],
  [['--cloud-provider', 'static', '--cloud-config', 'right.yaml'], 1, /no-kubeconfig/],
];
for (const [args, code, line] of inOrder) {
  await t.test(`${['polycloud-ccm', ...args].join(' ')} ends with ${code}`, async (t) => {
    const ended = await start(...args);
    t.match(ended, { code, stdout: '' });
    t.match(ended.stderr, line);
    t.match(ended.stderr, /^polycloud-ccm: [^\n]+\n$/, 'one line');
  });
}

await t.test('a cloud-config of a vendor ends with the lines that replace it', async (t) => {
  const ended = await start('--cloud-provider', 'aws', '--cloud-config', 'cloud.conf');
  t.match(ended, { code: 1, stdout: '' });
  t.strictSame(ended.stderr.split('\n'), [
    "polycloud-ccm: cloud.conf is in the format of the AWS cloud provider (INI), not in ours; hint: use the key `aws` of our configuration; most of the file's settings are detected",
    '# polycloud needs these lines in place of this file:',
    'aws:',
    '  scopes:',
    '    - name: default',
    '      region: us-west-2',
    "# only the vendor's controller uses, for load balancers, routes and volumes: VPC",
    '# Password has no counterpart',
    '',
  ]);
  const json = await start('--cloud-provider', 'aws', '--cloud-config', 'cloud.conf', '--logging-format', 'json');
  t.match(JSON.parse(json.stderr), {
    level: 'error',
    err: /^cloud\.conf is in/,
    details: ended.stderr.split('\n').slice(1, -1),
  });
});
