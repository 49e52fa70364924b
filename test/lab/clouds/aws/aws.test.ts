import t from 'tap';
import { ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { ECRPUBLICClient, GetAuthorizationTokenCommand as GetPublicTokenCommand } from '@aws-sdk/client-ecr-public';
import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  GetCallerIdentityCommand,
  STSClient,
} from '@aws-sdk/client-sts';
import { runOnLoopback } from '../loopback.ts';
import { secretMarker, showsSecret } from '../secrets.ts';
import { createTokenSigner } from '../token-signer.ts';
import { aws } from './cloud.ts';
import { labIssuer, labUserKey } from './state.ts';
import type { AccessKey } from './state.ts';

const lab = await runOnLoopback(aws, { plain: ['imds'] });
t.teardown(lab.stop);
t.beforeEach(() => lab.reset());

const podRole = { RoleArn: 'arn:aws:iam::123456789012:role/lab-pod', RoleSessionName: 'someone' };

await t.test('a login for ECR is one that the registry will know', async (t) => {
  const { authorizationData } = await ecr(labUserKey).send(new GetAuthorizationTokenCommand({}));
  const { authorizationToken = '', proxyEndpoint, expiresAt = new Date(0) } = { ...authorizationData?.[0] };
  t.equal(proxyEndpoint, 'https://123456789012.dkr.ecr.us-west-2.amazonaws.com');
  t.ok(Math.abs(expiresAt.getTime() - Date.now() - 12 * 3_600_000) < 60_000, 'twelve hours');
  const [username, password = ''] = Buffer.from(authorizationToken, 'base64').toString().split(':');
  const { registryLogins } = await lab.state();
  t.match([username, registryLogins.length], ['AWS', 1]);
  t.ok(
    registryLogins.every((login) => login.password === password),
    'the same password',
  );
  t.ok(password.includes(secretMarker) && showsSecret(authorizationToken), 'found in clear and in base64');
});

await t.test('a login that has expired already, and one that does not say when', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'expired', count: 1 });
  const expired = await ecr(labUserKey).send(new GetAuthorizationTokenCommand({}));
  t.ok((expired.authorizationData?.[0]?.expiresAt ?? new Date()).getTime() < Date.now());
  await lab.addFault({ service: 'ecr', kind: 'no-expiry', count: 1 });
  const silent = await ecr(labUserKey).send(new GetAuthorizationTokenCommand({}));
  t.notOk(silent.authorizationData?.[0]?.expiresAt);
  t.ok(silent.authorizationData?.[0]?.authorizationToken);
});

await t.test('a login for ECR Public', async (t) => {
  const client = new ECRPUBLICClient({ ...options(labUserKey), endpoint: lab.url('ecr-public'), region: 'us-east-1' });
  const { authorizationData } = await client.send(new GetPublicTokenCommand({}));
  t.match(Buffer.from(authorizationData?.authorizationToken ?? '', 'base64').toString(), /^AWS:/);
  t.ok(authorizationData?.expiresAt);
});

await t.test('the instance’s role, from the metadata service to a login', async (t) => {
  const key = await instanceCredentials();
  await ecr(key).send(new GetAuthorizationTokenCommand({}));
  const identity = await sts(key).send(new GetCallerIdentityCommand({}));
  t.equal(identity.Arn, 'arn:aws:sts::123456789012:assumed-role/lab-node/i-0a1b2c3d4e5f60718');
  t.equal(identity.UserId, 'AROALABNODE0000000000:i-0a1b2c3d4e5f60718');
});

const refusals: readonly {
  readonly what: string;
  readonly key: () => Promise<AccessKey>;
  readonly name: string;
  readonly message: RegExp;
}[] = [
  {
    what: 'an unknown key',
    key: () => Promise.resolve({ ...labUserKey, accessKeyId: 'AKIANOBODY0000000000' }),
    name: 'UnrecognizedClientException',
    message: /security token included in the request is invalid/,
  },
  {
    what: 'a wrong secret',
    key: () => Promise.resolve({ ...labUserKey, secretAccessKey: 'wrong' }),
    name: 'InvalidSignatureException',
    message: /signature we calculated does not match/,
  },
  {
    what: 'a session’s key with another session’s token',
    key: async () => ({ ...(await instanceCredentials()), sessionToken: 'another' }),
    name: 'UnrecognizedClientException',
    message: /invalid/,
  },
  {
    what: 'a session that is over',
    key: async () => {
      await lab.addFault({ service: 'imds', kind: 'expired' });
      return instanceCredentials();
    },
    name: 'ExpiredTokenException',
    message: /expired/,
  },
  {
    what: 'a role without permission',
    key: async () => {
      await lab.update({ instance: { roleName: 'lab-denied' } });
      return instanceCredentials();
    },
    name: 'AccessDeniedException',
    message:
      /^User: arn:aws:sts::123456789012:assumed-role\/lab-denied\/i-0a1b2c3d4e5f60718 is not authorized to perform: ecr:GetAuthorizationToken on resource: \* because no identity-based policy allows the ecr:GetAuthorizationToken action$/,
  },
  {
    what: 'a clock that is behind',
    key: async () => {
      await lab.addFault({ service: 'ecr', kind: 'clock', aheadMs: 6 * 60_000 });
      return labUserKey;
    },
    name: 'InvalidSignatureException',
    message: /^Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 5 min\.\)$/,
  },
  {
    what: 'a clock that is ahead',
    key: async () => {
      await lab.addFault({ service: 'ecr', kind: 'clock', aheadMs: -6 * 60_000 });
      return labUserKey;
    },
    name: 'InvalidSignatureException',
    message: /^Signature not yet current: /,
  },
  {
    what: 'a key of another partition',
    key: async () => {
      await lab.update({ instance: { region: 'cn-north-1' } });
      return instanceCredentials();
    },
    name: 'UnrecognizedClientException',
    message: /invalid/,
  },
];

for (const { what, key, name, message } of refusals) {
  await t.test(`ECR refuses ${what}`, async (t) => {
    const client = ecr(await key());
    await t.rejects(client.send(new GetAuthorizationTokenCommand({})), { name, message });
    t.same((await lab.state()).registryLogins, [], 'no login was given out');
  });
}

await t.test('a body that was changed on its way, or a signature for another service', async (t) => {
  const target = 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken';
  await ecr(labUserKey).send(new GetAuthorizationTokenCommand({}));
  const [good] = await lab.requests();
  const { host: _host, 'content-length': _length, connection: _connection, ...headers } = good?.headers ?? {};
  async function replay(changes: Readonly<Record<string, string>>, body: string): Promise<unknown> {
    const response = await fetch(lab.url('ecr'), { method: 'POST', headers: { ...headers, ...changes }, body });
    return response.json();
  }
  t.equal(headers['x-amz-target'], target);
  t.match(await replay({}, '{"a":1}'), { __type: 'InvalidSignatureException' });
  const authorization = headers['authorization']?.replace('/ecr/', '/sts/') ?? '';
  t.match(await replay({ authorization }, '{}'), {
    message: "Credential should be scoped to correct service: 'ecr'. ",
  });
});

await t.test('a role that trusts the caller, and one that does not', async (t) => {
  const { Credentials, AssumedRoleUser } = await sts(labUserKey).send(new AssumeRoleCommand(podRole));
  t.equal(AssumedRoleUser?.Arn, 'arn:aws:sts::123456789012:assumed-role/lab-pod/someone');
  await ecr(keyFrom(Credentials ?? {})).send(new GetAuthorizationTokenCommand({}));
  const stranger = { ...podRole, RoleArn: 'arn:aws:iam::123456789012:role/lab-node' };
  await t.rejects(sts(labUserKey).send(new AssumeRoleCommand(stranger)), {
    name: 'AccessDenied',
    message: /sts:AssumeRole/,
  });
});

for (const algorithm of ['RS256', 'ES256'] as const) {
  await t.test(`a web identity token signed with ${algorithm}`, async (t) => {
    const signer = createTokenSigner(algorithm);
    await lab.update({ issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [signer.publicKey] } } });
    const claims = {
      iss: labIssuer,
      aud: ['sts.amazonaws.com'],
      sub: 'system:serviceaccount:default:puller',
      exp: Math.floor(Date.now() / 1000) + 60,
    };
    const { Credentials } = await assume(signer.sign(claims));
    await ecr(keyFrom(Credentials ?? {})).send(new GetAuthorizationTokenCommand({}));

    const [header, , signature] = signer.sign(claims).split('.');
    const [, otherClaims] = signer.sign({ ...claims, exp: claims.exp + 1 }).split('.');
    await t.rejects(assume([header, otherClaims, signature].join('.')), { message: /verification key/ });
    const stranger = createTokenSigner(algorithm);
    await t.rejects(assume(stranger.sign(claims)), {
      name: 'InvalidIdentityTokenException',
      message: /verification key/,
    });
    await t.rejects(assume(signer.sign({ ...claims, aud: 'other' })), { message: 'Incorrect token audience' });
    await t.rejects(assume(signer.sign({ ...claims, iss: 'https://other.example' })), {
      message: /No OpenIDConnect provider/,
    });
    await t.rejects(assume(signer.sign({ ...claims, exp: 1 })), { name: 'ExpiredTokenException' });
    await t.rejects(assume(signer.sign({ ...claims, sub: 'system:serviceaccount:default:other' })), {
      name: 'AccessDenied',
    });
    await t.rejects(assume('no.token'), { message: /not a valid JWT/ });
  });
}

function assume(token: string): Promise<{ Credentials?: object | undefined }> {
  return sts(labUserKey).send(new AssumeRoleWithWebIdentityCommand({ ...podRole, WebIdentityToken: token }));
}

function options(key: AccessKey): { region: string; credentials: AccessKey; maxAttempts: number } {
  return { region: 'us-west-2', credentials: key, maxAttempts: 1 };
}

function ecr(key: AccessKey): ECRClient {
  return new ECRClient({ ...options(key), endpoint: lab.url('ecr') });
}

function sts(key: AccessKey): STSClient {
  return new STSClient({ ...options(key), endpoint: lab.url('sts') });
}

async function instanceCredentials(): Promise<AccessKey> {
  const { roleName } = (await lab.state()).instance;
  const tokenHeaders = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };
  const token = await fetch(`${lab.url('imds')}/latest/api/token`, { method: 'PUT', headers: tokenHeaders });
  const headers = { 'x-aws-ec2-metadata-token': await token.text() };
  const path = `/latest/meta-data/iam/security-credentials/${String(roleName)}`;
  const answer = (await (await fetch(`${lab.url('imds')}${path}`, { headers })).json()) as Record<string, string>;
  const { AccessKeyId, SecretAccessKey, Token: SessionToken } = answer;
  return keyFrom({ AccessKeyId, SecretAccessKey, SessionToken });
}

function keyFrom(credentials: object): AccessKey {
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = credentials as Record<string, string>;
  return { ...labUserKey, accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}
