import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask, provider, requestsOf } from './provider.ts';

const ecr = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const dockerAuth = Buffer.from('robot:LABSECRET-of-docker').toString('base64');

await t.test('the configuration file', requires(await namespaceSupport()), async (t) => {
  const network = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-configuration-'));
  t.teardown(async () => {
    await network.stop();
    await rm(directory, { recursive: true });
  });
  const { namespace, aws, authorityFile } = network;
  t.beforeEach(() => aws.reset());
  const write = async (name: string, content: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  const configured = async (yaml: string): Promise<readonly string[]> => ['--config', await write('config.yaml', yaml)];

  await t.test('a docker config file serves its registries, under the host of the image', async (t) => {
    const docker = await write(
      'docker.json',
      JSON.stringify({ auths: { 'harbor.example.com:8443': { auth: dockerAuth } } }),
    );
    const args = await configured(`dockerConfigFiles: [${docker}]\n`);
    const { answer } = await ask(namespace, { image: 'harbor.example.com:8443/team/app', args });
    t.match(answer, { cacheKeyType: 'Registry', cacheDuration: '0s' });
    t.strictSame(Object.keys(answer?.auth ?? {}), ['harbor.example.com:8443']);
    t.equal(answer?.auth['harbor.example.com:8443']?.username, 'robot');
    t.equal(answer?.auth['harbor.example.com:8443']?.password === 'LABSECRET-of-docker', true);
    t.match(
      (await ask(namespace, { image: 'harbor.example.com/team/app', args })).answer,
      { auth: {} },
      'not another port',
    );
    t.strictSame(await requestsOf(network), []);
  });

  await t.test('a login for a path is not cached for the whole host', async (t) => {
    const docker = await write('docker.json', JSON.stringify({ auths: { 'quay.io/team': { auth: dockerAuth } } }));
    const args = await configured(`dockerConfigFiles: [${docker}]\n`);
    const { answer } = await ask(namespace, { image: 'quay.io/team/app', args });
    t.match(answer, { cacheKeyType: 'Image' });
    t.strictSame(Object.keys(answer?.auth ?? {}), ['quay.io/team']);
    t.match((await ask(namespace, { image: 'quay.io/teammate/app', args })).answer, { auth: {} });
  });

  await t.test('an unreadable docker config file is a failure, not an empty response', async (t) => {
    const args = await configured(`dockerConfigFiles: [${directory}/nowhere.json]\n`);
    const { stderr } = await ask(namespace, { image: 'quay.io/team/app', args });
    t.match(stderr, /docker config file .*nowhere\.json does not exist/);
    t.equal(
      (await ask(namespace, { image: `${ecr}/a`, args })).code,
      0,
      'registries that it does not concern are served',
    );
  });

  await t.test('a login in files', async (t) => {
    const [user, password] = [await write('user', 'robot\n'), await write('password', 'LABSECRET-in-file\n')];
    const yaml = `registries:\n  - match: registry.example.com\n    login: {usernameFile: ${user}, passwordFile: ${password}}\n`;
    const { answer } = await ask(namespace, { image: 'registry.example.com/a/b', args: await configured(yaml) });
    t.equal(answer?.auth['registry.example.com']?.username, 'robot');
    t.equal(answer?.auth['registry.example.com']?.password === 'LABSECRET-in-file', true);
  });

  await t.test("a pod does not get the node's stored login", async (t) => {
    const [user, password] = [await write('user', 'robot\n'), await write('password', 'LABSECRET-in-file\n')];
    const yaml = `registries:\n  - match: registry.example.com\n    login: {usernameFile: ${user}, passwordFile: ${password}}\n`;
    const { stderr } = await ask(namespace, {
      image: 'registry.example.com/a',
      token: 'a.b.c',
      args: await configured(yaml),
    });
    t.match(stderr, /has a stored login, which is the node's, not a pod's/);
  });

  await t.test('a custom domain for ECR', async (t) => {
    const args = await configured(`registries:\n  - match: images.example.com:5000/base\n    as: ${ecr}\n`);
    const { answer } = await ask(namespace, { image: 'images.example.com:5000/base/app', args });
    t.match(answer, { cacheKeyType: 'Image' });
    t.strictSame(Object.keys(answer?.auth ?? {}), ['images.example.com:5000/base']);
    t.equal((await aws.state()).registryLogins.length, 1);
    t.match((await ask(namespace, { image: 'images.example.com:5000/other', args })).answer, { auth: {} });
  });

  await t.test('two identities of one node, for two registries', async (t) => {
    const credentials = await write(
      'credentials',
      '[builder]\naws_access_key_id = AKIALABUSER000000000\naws_secret_access_key = LABSECRETlab-user-0123456789abcdefghij\n',
    );
    const yaml = `registries:\n  - match: 210987654321.dkr.ecr.us-west-2.amazonaws.com\n    nodeIdentity: builder\n`;
    const args = await configured(yaml);
    const env = { AWS_SHARED_CREDENTIALS_FILE: credentials };
    t.equal((await ask(namespace, { image: '210987654321.dkr.ecr.us-west-2.amazonaws.com/a', args, env })).code, 0);
    t.equal((await ask(namespace, { image: `${ecr}/a`, args, env })).code, 0);
    t.match(
      (await aws.state()).registryLogins.map(({ arn }) => arn),
      [/:user\/lab-user$/, /:assumed-role\/lab-node\//],
    );
  });

  await t.test('an authority of the configuration is trusted in addition to the others', async (t) => {
    const args = await configured(`caFile: ${authorityFile}\n`);
    t.equal((await ask(namespace, { image: `${ecr}/a`, args, env: { SSL_CERT_FILE: '/dev/null' } })).code, 0);
  });

  await t.test('a custom annotation key', async (t) => {
    const args = await configured('aws:\n  roleAnnotations: [example.com/pull-role]\n');
    const annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/lab-pod' };
    const { stderr } = await ask(namespace, { image: `${ecr}/a`, token: 'a.b.c', annotations, args });
    t.match(stderr, /annotate it with example\.com\/pull-role/);
  });

  const mistakes: ReadonlyArray<readonly [yaml: string, says: RegExp]> = [
    ['caFile: ca.pem\n', /line 1: caFile must be an absolute path/],
    ['\nregistires: []\n', /line 2: registires is not a known key/],
    ['registries:\n  - match: Images.example.com\n    as: quay.io\n', /line 2: registries\[0\]\.match must be host/],
    ['registries:\n  - match: a.example\n', /line 2: registries\[0\] needs either `login` alone/],
    ['a: [\n', /is not YAML/],
    [
      `registries:\n  - {match: a.example, as: unknown.example}\n`,
      /sends a\.example to unknown\.example, which is not a known registry/,
    ],
  ];
  for (const [yaml, says] of mistakes) {
    await t.test(`invalid: ${JSON.stringify(yaml)}`, async (t) => {
      const { stderr } = await ask(namespace, { image: 'a.example/b', args: await configured(yaml) });
      t.match(stderr, says);
    });
  }

  await t.test('a missing file', async (t) => {
    const { stderr } = await ask(namespace, { image: `${ecr}/a`, args: ['--config', '/nowhere/config.yaml'] });
    t.match(stderr, /configuration file \/nowhere\/config\.yaml does not exist; hint: create it/);
  });

  const wrongInputs: ReadonlyArray<readonly [name: string, input: string, says: RegExp]> = [
    ['nothing', '', /standard input is empty/],
    ['half an object', '{"kind":', /standard input is not one JSON object/],
    ['two objects', '{} {}', /standard input is not one JSON object/],
    ['another kind', '{"kind":"Pod"}', /kind must be CredentialProviderRequest/],
    ['no image', requestWith({ image: undefined }), /image is missing or of the wrong type/],
    ['an empty image', requestWith({ image: '' }), /image is empty/],
    ['an unknown version', requestWith({ apiVersion: 'credentialprovider.kubelet.k8s.io/v9' }), /apiVersion must be/],
    ['more than 1 MB', requestWith({ image: 'a'.repeat(1_200_000) }), /standard input is larger than 1 MB/],
  ];
  for (const [name, input, says] of wrongInputs) {
    await t.test(`a request that is ${name} is a failure`, async (t) => {
      const { code, stdout, stderr } = await namespace.run(provider, [], { env: {}, input, timeoutMs: 20_000 });
      t.equal(code, 1);
      t.equal(stdout, '');
      t.match(stderr, says);
    });
  }

  await t.test('wrong usage exits with 2 and one line', async (t) => {
    const { code, stderr } = await namespace.run(provider, ['--bogus'], {
      env: {},
      input: '',
      timeoutMs: 20_000,
    });
    t.equal(code, 2);
    t.match(stderr, /^polycloud-credential-provider: unknown argument "--bogus"; .*--help.*\n$/);
  });
});

function requestWith(change: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    image: 'quay.io/a',
    ...change,
  });
}
