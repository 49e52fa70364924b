import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import { labIssuer, labUserKey } from '../../lab/clouds/aws/state.ts';
import { secretMarker } from '../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../lab/clouds/token-signer.ts';
import type { TokenSigner } from '../../lab/clouds/token-signer.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask, requestsOf } from './provider.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const login = 'POST api.ecr.us-west-2.amazonaws.com GetAuthorizationToken';
const podRole = 'arn:aws:iam::123456789012:role/lab-pod';
const keys = { AWS_ACCESS_KEY_ID: labUserKey.accessKeyId, AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey };

await t.test('who logs in', requires(await namespaceSupport()), async (t) => {
  const network = await createAwsNetwork({ regions: ['us-west-2', 'us-east-1'], ipVersions: [4] });
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-identities-'));
  t.teardown(async () => {
    await network.stop();
    await rm(directory, { recursive: true });
  });
  const { namespace, aws } = network;
  const signer = createTokenSigner('RS256');
  const issuers = { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [signer.publicKey] } };
  t.beforeEach(async () => {
    await aws.reset();
    await aws.update({ issuers });
  });
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  const lastLoginBy = async (): Promise<string | undefined> => (await aws.state()).registryLogins.at(-1)?.arn;

  await t.test('ecr × keys of the environment: nobody else is asked', async (t) => {
    const { code } = await ask(namespace, { image, env: keys });
    t.equal(code, 0);
    t.strictSame(await requestsOf(network), [login]);
  });

  await t.test('one key of a pair is a failure', async (t) => {
    const { stderr } = await ask(namespace, { image, env: { AWS_ACCESS_KEY_ID: labUserKey.accessKeyId } });
    t.match(stderr, /only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set; hint: set both, or neither/);
    t.strictSame(await requestsOf(network), []);
  });

  await t.test('keys that AWS rejects', async (t) => {
    const env = { AWS_ACCESS_KEY_ID: 'AKIAUNKNOWN000000000', AWS_SECRET_ACCESS_KEY: 'LABSECRETunknown' };
    const { stderr } = await ask(namespace, { image, env });
    t.match(stderr, /does not accept the keys: keys of the environment; hint: check that the keys are active/);
    t.strictSame(await requestsOf(network), [login], 'refusals are not repeated');
  });

  await t.test('ecr × profile: its keys', async (t) => {
    const credentials = `[builder]\naws_access_key_id = ${labUserKey.accessKeyId}\naws_secret_access_key = ${labUserKey.secretAccessKey}\n`;
    const env = { AWS_SHARED_CREDENTIALS_FILE: await file('credentials', credentials), AWS_PROFILE: 'builder' };
    t.equal((await ask(namespace, { image, env })).code, 0);
    t.equal(await lastLoginBy(), 'arn:aws:iam::123456789012:user/lab-user');
  });

  await t.test('a profile that does not exist', async (t) => {
    const { stderr } = await ask(namespace, { image, env: { AWS_PROFILE: 'nobody' } });
    t.match(stderr, /there is no profile nobody in the shared AWS configuration/);
  });

  await t.test('a role assumed with the keys of another profile', async (t) => {
    const config = `[profile pull]\nrole_arn = ${podRole}\nsource_profile = base\nrole_session_name = from-profile\n`;
    const credentials = `[base]\naws_access_key_id = ${labUserKey.accessKeyId}\naws_secret_access_key = ${labUserKey.secretAccessKey}\n`;
    const env = {
      AWS_CONFIG_FILE: await file('config', config),
      AWS_SHARED_CREDENTIALS_FILE: await file('credentials', credentials),
      AWS_PROFILE: 'pull',
    };
    t.equal((await ask(namespace, { image, env })).code, 0);
    t.strictSame(await requestsOf(network), ['POST sts.us-west-2.amazonaws.com AssumeRole', login]);
    t.equal(await lastLoginBy(), 'arn:aws:sts::123456789012:assumed-role/lab-pod/from-profile');
  });

  await t.test("ecr × role taken on: with the instance's role", async (t) => {
    const config = `[profile pull]\nrole_arn = ${podRole}\ncredential_source = Ec2InstanceMetadata\n`;
    const { code } = await ask(namespace, {
      image,
      env: { AWS_CONFIG_FILE: await file('config', config), AWS_PROFILE: 'pull' },
    });
    t.equal(code, 0);
    t.match(await lastLoginBy(), /assumed-role\/lab-pod\//);
  });

  await t.test('profiles that name each other in a circle', async (t) => {
    const config = `[profile a]\nrole_arn = ${podRole}\nsource_profile = b\n[profile b]\nrole_arn = ${podRole}\nsource_profile = a\n`;
    const { stderr } = await ask(namespace, {
      image,
      env: { AWS_CONFIG_FILE: await file('config', config), AWS_PROFILE: 'a' },
    });
    t.match(stderr, /profile b has a role_arn, but no source of credentials for it/);
  });

  await t.test("an operator's program that prints keys", async (t) => {
    const printed = { Version: 1, AccessKeyId: labUserKey.accessKeyId, SecretAccessKey: labUserKey.secretAccessKey };
    const program = await file('print-keys', `#!/bin/sh\necho '${JSON.stringify(printed)}'\n`);
    await chmod(program, 0o755);
    const env = {
      AWS_CONFIG_FILE: await file('config', `[default]\ncredential_process = ${program}\n`),
      PATH: '/bin:/usr/bin',
    };
    t.equal((await ask(namespace, { image, env })).code, 0);
    t.strictSame(await requestsOf(network), [login]);
  });

  await t.test("an operator's program that fails: its output is not printed", async (t) => {
    const program = await file('fail', '#!/bin/sh\necho LABSECRET-of-the-program >&2\nexit 3\n');
    await chmod(program, 0o755);
    const env = {
      AWS_CONFIG_FILE: await file('config', `[default]\ncredential_process = ${program}\n`),
      PATH: '/bin:/usr/bin',
    };
    const { stderr } = await ask(namespace, { image, env });
    t.match(stderr, /credential_process of profile default failed with exit code 3; hint: run it by hand/);
  });

  await t.test('ecr × token file: for a role', async (t) => {
    const env = { AWS_WEB_IDENTITY_TOKEN_FILE: await file('token', podToken(signer, {})), AWS_ROLE_ARN: podRole };
    t.equal((await ask(namespace, { image, env })).code, 0);
    t.strictSame(await requestsOf(network), ['POST sts.us-west-2.amazonaws.com AssumeRoleWithWebIdentity', login]);
  });

  await t.test('a container credentials endpoint at an unsafe address', async (t) => {
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://10.1.2.3/creds' };
    const { stderr } = await ask(namespace, { image, env });
    t.match(stderr, /AWS_CONTAINER_CREDENTIALS_\*_URI names an address that is not allowed; hint: use https/);
    t.strictSame(await requestsOf(network), []);
  });

  await t.test('a pod: the role in the annotation of its service account', async (t) => {
    const annotations = { 'eks.amazonaws.com/role-arn': podRole };
    const { answer } = await ask(namespace, { image, token: podToken(signer, {}), annotations });
    t.equal(answer?.cacheKeyType, 'Registry');
    t.strictSame(await requestsOf(network), ['POST sts.us-west-2.amazonaws.com AssumeRoleWithWebIdentity', login]);
    t.match(await lastLoginBy(), /assumed-role\/lab-pod\//);
  });

  await t.test('a pod: ecr-role-arn wins over role-arn', async (t) => {
    const annotations = {
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/lab-denied',
      'eks.amazonaws.com/ecr-role-arn': podRole,
    };
    t.equal((await ask(namespace, { image, token: podToken(signer, {}), annotations })).code, 0);
    t.match(await lastLoginBy(), /assumed-role\/lab-pod\//);
  });

  await t.test('a pod that pulls from ECR Public uses STS in the region of ECR Public', async (t) => {
    const annotations = { 'eks.amazonaws.com/role-arn': podRole };
    t.equal((await ask(namespace, { image: 'public.ecr.aws/a/b', token: podToken(signer, {}), annotations })).code, 0);
    t.equal((await requestsOf(network))[0], 'POST sts.us-east-1.amazonaws.com AssumeRoleWithWebIdentity');
  });

  const refusals: ReadonlyArray<readonly [name: string, question: object, says: RegExp, asked: number]> = [
    ['without an annotation', { token: podToken(signer, {}) }, /names no AWS role; hint: annotate it with eks\./, 0],
    [
      'whose annotation is not a role',
      { token: podToken(signer, {}), annotations: { 'eks.amazonaws.com/role-arn': 'lab-pod' } },
      /annotation eks\.amazonaws\.com\/role-arn of the pod's service account is not the ARN of an IAM role/,
      0,
    ],
    [
      'that the role does not trust',
      {
        token: podToken(signer, { sub: 'system:serviceaccount:default:other' }),
        annotations: { 'eks.amazonaws.com/role-arn': podRole },
      },
      /denied sts:AssumeRoleWithWebIdentity to .*trust policy/,
      1,
    ],
    [
      'with a token for another audience',
      { token: podToken(signer, { aud: ['vault'] }), annotations: { 'eks.amazonaws.com/role-arn': podRole } },
      /does not accept the token: .*IAM OIDC provider/,
      1,
    ],
    [
      'with an expired token',
      { token: podToken(signer, { exp: 1_700_000_000 }), annotations: { 'eks.amazonaws.com/role-arn': podRole } },
      /refuses the credentials, which have expired/,
      1,
    ],
    [
      'with a token that another key signed',
      { token: podToken(createTokenSigner('RS256'), {}), annotations: { 'eks.amazonaws.com/role-arn': podRole } },
      /does not accept the token/,
      1,
    ],
  ];
  for (const [name, question, says, asked] of refusals) {
    await t.test(`a pod ${name} gets nothing, and never the node's login`, async (t) => {
      const { code, stderr } = await ask(namespace, { image, ...question });
      t.equal(code, 1);
      t.match(stderr, says);
      t.equal((await requestsOf(network)).length, asked, 'nobody else was asked');
    });
  }
});

/** As the API server issues it for a pod with the service account `default/puller`. */
function podToken(signer: TokenSigner, claims: Readonly<Record<string, unknown>>): string {
  const nowS = Math.floor(Date.now() / 1000);
  return signer.sign({
    iss: labIssuer,
    aud: ['sts.amazonaws.com'],
    sub: 'system:serviceaccount:default:puller',
    iat: nowS,
    exp: nowS + 3600,
    jti: secretMarker,
    ...claims,
  });
}
