import t from 'tap';
import { parseConfigFile } from '../../../lib/config/parse-config.ts';
import { Failure } from '../../../lib/failure.ts';
import { defaultConfig } from '../../../schemas/config/defaults.ts';

const file = '/etc/polycloud/config.yaml';
const empty = [
  '',
  '\n',
  '# only a comment\n',
  '---\n',
  '{}',
  'null',
  'aws: {}',
  'registries: []\ndockerConfigFiles: []',
];
for (const text of empty) {
  await t.test(`${JSON.stringify(text)} is a configuration of defaultConfig`, (t) => {
    t.strictSame(parseConfigFile(text, file), defaultConfig);
    t.end();
  });
}

await t.test('every key is read', (t) => {
  const text = `
caFile: /etc/polycloud/ca.pem
registries:
  # a pull-through cache
  - match: mirror.example:8443/hub
    as: public.ecr.aws
  - match: team.example
    as: 123456789012.dkr.ecr.us-east-1.amazonaws.com
    nodeIdentity: pull
  - match: 210987654321.dkr.ecr.us-east-1.amazonaws.com
    nodeIdentity: other
  - match: team.azurecr.io
    role: { azure.workload.identity/client-id: 1f2e }
    federation: { from: aws, audience: 'api://AzureADTokenExchange' }
  - match: europe-docker.pkg.dev
    role: { cloud.google.com/workload-identity-provider: p }
    federation: { from: file, tokenFile: /run/token }
  - { match: registry.example, login: { usernameFile: /etc/a, passwordFile: /etc/b } }
dockerConfigFiles: [/root/.docker/config.json]
aws:
  roleAnnotations: [example.com/role]
`;
  const { aws: _aws, registries: _registries, dockerConfigFiles: _files, ...rest } = defaultConfig;
  t.strictSame(parseConfigFile(text, file), {
    caFile: '/etc/polycloud/ca.pem',
    registries: [
      { match: 'mirror.example:8443/hub', as: 'public.ecr.aws' },
      { match: 'team.example', as: '123456789012.dkr.ecr.us-east-1.amazonaws.com', nodeIdentity: 'pull' },
      { match: '210987654321.dkr.ecr.us-east-1.amazonaws.com', nodeIdentity: 'other' },
      {
        match: 'team.azurecr.io',
        role: { 'azure.workload.identity/client-id': '1f2e' },
        federation: { from: 'aws', audience: 'api://AzureADTokenExchange' },
      },
      {
        match: 'europe-docker.pkg.dev',
        role: { 'cloud.google.com/workload-identity-provider': 'p' },
        federation: { from: 'file', tokenFile: '/run/token' },
      },
      { match: 'registry.example', login: { usernameFile: '/etc/a', passwordFile: '/etc/b' } },
    ],
    dockerConfigFiles: ['/root/.docker/config.json'],
    ...rest,
    aws: { ...defaultConfig.aws, roleAnnotations: ['example.com/role'] },
  });
  t.end();
});

await t.test('JSON is YAML', (t) => {
  t.equal(parseConfigFile('{"caFile": "/ca.pem"}', file).caFile, '/ca.pem');
  t.end();
});

/** The file, the line in the message, and the message. */
const mistakes: readonly (readonly [text: string, line: number, says: RegExp])[] = [
  // Not YAML.
  ['caFile: [', 1, /is not YAML \(.+\)/],
  ['caFile: /a\n bad: indent', 1, /is not YAML/],
  ['registries: []\n\tcaFile: /a', 2, /is not YAML/],
  ['caFile: "/a', 1, /is not YAML/],
  ['caFile: /a\n---\ncaFile: /b', 2, /is not YAML/],
  ['caFile: /a\nregistries: []\ncaFile: /b', 3, /is not YAML \(duplicate key\)/],
  ['registries:\n  - match: a.example\n    as: b.example\n    as: c.example', 4, /is not YAML \(duplicate key\)/],
  ['registries: *nobody', 1, /is not YAML/],
  // Not our form.
  ['just text', 1, /the file must be of type object/],
  ['- a\n- b', 1, /the file must be of type object/],
  ['7', 1, /the file must be of type object/],
  ['registries:', 1, /registries must be a list/],
  ['registries: {}', 1, /registries must be a list/],
  ['aws:', 1, /aws must be of type object/],
  ['caFile: 7', 1, /caFile must be of type string/],
  ['caFile: [/a]', 1, /caFile must be of type string/],
  ['caFile: ca.pem', 1, /caFile must be an absolute path/],
  ['dockerConfigFiles: /a', 1, /dockerConfigFiles must be a list/],
  ['dockerConfigFiles:\n  - /a\n  - ~/b', 3, /dockerConfigFiles\[1\] must be an absolute path/],
  // Unknown keys.
  ['caFile: /a\nregistry: []', 2, /registry is not a known key/],
  ['bogus:\n  deeper: 1', 1, /bogus is not a known key/],
  ['aws:\n  roleAnnotation: x', 2, /aws\.roleAnnotation is not a known key/],
  ['registries:\n  - match: a.example\n    As: b.example', 3, /registries\[0\]\.As is not a known key/],
  [
    'registries:\n  - match: a.example\n    login:\n      usernameFile: /a\n      passwordFile: /b\n      token: c',
    6,
    /registries\[0\]\.login\.token is not a known key/,
  ],
  ['"<<": {}', 1, /<< is not a known key/],
  ['constructor: {}', 1, /constructor is not a known key/],
  ['? { token: misplaced }\n: x', 1, /"…" is not a known key/],
  // Hosts.
  ['gcp:\n  universeDomain: googleapis', 2, /gcp\.universeDomain must be a domain/],
  ['gcp:\n  universeDomain: "10.0.0.1"', 2, /gcp\.universeDomain must be a domain/],
  ['gcp: { endpoints: { sts: "http://sts.example" } }', 1, /gcp\.endpoints\.sts must be https/],
  ['gcp: { endpoints: { sts: "https://sts.example:65536" } }', 1, /gcp\.endpoints\.sts has a host or a port/],
  ['gcp: { endpoints: { sts: "https://10.0.0.256" } }', 1, /gcp\.endpoints\.sts has a host or a port/],
  ['azure: { authorityHost: "https://login.1" }', 1, /azure\.authorityHost has a host or a port/],
  // Registries.
  ['registries:\n  - as: a.example', 2, /registries\[0\]\.match is missing/],
  ['registries:\n  - match: a.example', 2, /registries\[0\] needs either `login`/],
  ['registries:\n  - a.example', 2, /registries\[0\] must be of type object/],
  [
    'registries:\n  - match: a.example\n    as: b.example\n    login: { usernameFile: /a, passwordFile: /b }',
    2,
    /registries\[0\] needs either `login` alone/,
  ],
  [
    'registries:\n  - match: a.example\n    login: { usernameFile: /a }',
    3,
    /registries\[0\]\.login\.passwordFile is missing/,
  ],
  [
    'registries:\n  - match: a.example\n    login: { usernameFile: a, passwordFile: /b }',
    3,
    /registries\[0\]\.login\.usernameFile must be an absolute/,
  ],
  ['registries:\n  - match: a.example\n    nodeIdentity: ""', 3, /registries\[0\]\.nodeIdentity must not be empty/],
  ['registries:\n  - match: a.example\n    as: https://b.example', 3, /registries\[0\]\.as must be host/],
  [
    'registries:\n  - match: a.example\n    federation: { from: aws, audience: b }',
    2,
    /registries\[0\] has `federation` without the `role`/,
  ],
  [
    'registries:\n  - match: a.example\n    role: { a.b/c: d }\n    federation: { from: mars, audience: b }',
    4,
    /registries\[0\]\.federation\.from/,
  ],
  [
    'registries:\n  - match: a.example\n    role: { a.b/c: d }\n    federation: { from: file, audience: b }',
    4,
    /registries\[0\]\.federation\.(?:tokenFile|audience)/,
  ],
  ['registries:\n  - match: a.example\n    role: { arn: d }', 3, /registries\[0\]\.role.* must be a key such as/],
  // Annotations.
  // Scopes.
  ['aws:\n  scopes:\n    - region: us-west-2', 3, /aws\.scopes\[0\]\.name is missing/],
  ['aws:\n  scopes:\n    - { name: Prod, region: us-west-2 }', 3, /aws\.scopes\[0\]\.name must be lower-case/],
  ['aws:\n  scopes:\n    - { name: prod, region: us-west-2a }', 3, /aws\.scopes\[0\]\.region must be a region/],
  [
    'aws:\n  scopes:\n    - { name: a, region: us-west-2, regoin: x }',
    3,
    /aws\.scopes\[0\]\.regoin is not a known key/,
  ],
  [
    'aws:\n  scopes:\n    - { name: a, region: us-west-2, accountId: 1 }',
    3,
    /aws\.scopes\[0\]\.accountId must be of type string/,
  ],
  [
    'aws:\n  scopes:\n    - { name: a, region: us-west-2, accountId: "1" }',
    3,
    /aws\.scopes\[0\]\.accountId must be twelve digits/,
  ],
  [
    'aws:\n  scopes:\n    - { name: a, region: us-west-2, roleArn: role/x }',
    3,
    /aws\.scopes\[0\]\.roleArn must be the ARN/,
  ],
  [
    'aws:\n  scopes: [{ name: a, region: us-west-2 }, { name: a, region: eu-west-1 }]',
    2,
    /aws\.scopes has two entries with the same `name`/,
  ],
  [
    'registries:\n  - { match: "[fd00::1]:5000", login: { usernameFile: /a, passwordFile: /b } }',
    2,
    /registries\[0\]\.match must be host.*; the host is a name or an IPv4 address/,
  ],
  ['aws:\n  nodeIpFamilies: []', 2, /aws\.nodeIpFamilies needs at least one/],
  ['static:\n  inventoryFile: inventory.yaml', 2, /static\.inventoryFile must be an absolute path/],
  ['aws:\n  roleAnnotations: []', 2, /aws\.roleAnnotations needs at least one key/],
  ['aws:\n  roleAnnotations: [role]', 2, /aws\.roleAnnotations\[0\] must be a key such as/],
  ['aws:\n  roleAnnotations: example.com/role', 2, /aws\.roleAnnotations must be a list/],
];

for (const [text, line, says] of mistakes) {
  await t.test(`line ${line} of ${JSON.stringify(text.slice(0, 60))}: ${says.source.slice(0, 40)}`, (t) => {
    t.match(mistakeIn(text), {
      kind: 'misconfigured',
      message: new RegExp(`^configuration file ${file}, line ${line}: ${says.source}`),
      remedy: /^(?:correct it|add it|did you mean|remove it)/,
    });
    t.end();
  });
}

/** None of these could ever match an image. */
const neverMatching = [
  'Registry.example',
  'registry.example.',
  'registry..example',
  '-registry.example',
  'registry.example:0',
  'registry.example:65536',
  'registry.example:99999',
  'registry.example:',
  'registry.example/team:tag',
  'registry.example/Team',
  'registry.example/team@sha256:00',
  'user@registry.example',
  'registry.example/te am',
  '*.registry.example',
  'https://registry.example',
  '[::1]:5000',
  '/team',
  'localhostile',
];

for (const match of neverMatching) {
  await t.test(`a match that no image can have is an error: ${match}`, (t) => {
    const text = `registries:\n  - match: ${JSON.stringify(match)}\n    as: public.ecr.aws`;
    t.match(mistakeIn(text), { message: /, line 2: registries\[0\]\.match must be host\[:port\]/ });
    t.end();
  });
}

for (const match of [
  'registry.example',
  'localhost/a',
  'localhost:5000',
  'registry:5000/a',
  '10.0.0.1:65535/a/b',
  'xn--80ak6aa92e.example/a_b/c.d-e',
]) {
  await t.test(`a match that images can have is accepted: ${match}`, (t) => {
    const text = `registries:\n  - match: ${match}\n    as: public.ecr.aws`;
    t.equal(parseConfigFile(text, file).registries[0]?.match, match);
    t.end();
  });
}

await t.test('a file that grows when it is read is refused in one line', (t) => {
  const bombs = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghij'
      .split('')
      .map(
        (name, index) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghij'[index]}`).join(', ')}]`,
      ),
  ];
  t.match(mistakeIn(bombs.join('\n')), { kind: 'misconfigured', message: /^configuration file .{10,200}$/ });
  t.end();
});

await t.test('a file cannot change what all objects inherit', (t) => {
  mistakeIn('__proto__: { polluted: true }');
  mistakeIn('aws: { __proto__: { polluted: true } }');
  t.notOk('polluted' in {});
  t.end();
});

await t.test('no message quotes a value: it may be a misplaced secret', (t) => {
  for (const text of [
    'caFile: hunter2',
    'registries: hunter2',
    'hunter2',
    'registries:\n  - match: u:hunter2@a.example\n    as: b.example',
    'caFile: [hunter2',
    'caFile: "hunter2',
  ]) {
    const failure = mistakeIn(text);
    t.notMatch(failure?.message, 'hunter2', text);
    t.notMatch(failure?.message, '\n');
  }
  t.end();
});

function mistakeIn(text: string): Failure | undefined {
  try {
    parseConfigFile(text, file);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return undefined;
}
