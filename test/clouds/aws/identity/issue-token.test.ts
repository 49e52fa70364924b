import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { createAws } from '../../../../clouds/aws/index.ts';
import type { Identity } from '../../../../clouds/cloud.ts';
import type { Environment } from '../../../../lib/environment.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import { endpointVariables } from '../../../lab/clouds/aws/endpoint-variables.ts';
import { checkWebIdentity } from '../../../lab/clouds/aws/web-identity.ts';
import { fakeHost } from '../../fake-host.ts';
import { keys } from '../../../../schemas/keys.ts';
import { awsConfig } from '../config.ts';
import { startEc2Lab } from '../ec2-lab.ts';

const { lab, context } = await startEc2Lab(t);
const issuer = 'https://0c7f.tokens.sts.global.api.aws';
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const outbound = { issuer, key: { ...pair.privateKey.export({ format: 'jwk' }), kid: 'aws-1' } };
const roleAnnotations = ['eks.amazonaws.com/role-arn'];

t.beforeEach(async () => lab.reset());

function cloud(env: Environment) {
  const settings = { env: { ...endpointVariables(lab), ...env }, host: fakeHost({}) };
  return createAws({ ...settings, config: { ...awsConfig, roleAnnotations } });
}

async function issueToken(env: Environment): Promise<void> {
  await cloud(env).identity?.issueToken('any', undefined, context());
}

await t.test("the node's role is proved by a token that AWS signed, in the region it is in", async (t) => {
  await lab.update({ outbound });
  const proof = await cloud({}).identity?.issueToken('api://AzureADTokenExchange', undefined, context());
  const trust = { [issuer]: { audiences: ['api://AzureADTokenExchange'], keys: [outbound.key] } };
  t.match(checkWebIdentity(proof?.token.reveal() ?? '', trust, Date.now()), {
    subject: 'arn:aws:iam::123456789012:role/lab-node',
    audience: 'api://AzureADTokenExchange',
  });
  t.ok((proof?.expiresAtMs ?? 0) > Date.now());
  const hosts = (await lab.requests()).filter(({ service }) => service === 'sts');
  t.equal(hosts.length, 1);
});

await t.test('an account without identity tokens is reported, with a hint how to enable them', async (t) => {
  await t.rejects(issueToken({ AWS_REGION: 'us-west-2' }), {
    kind: 'denied',
    message: /outbound web identity federation is off/,
    remedy: /EnableOutboundWebIdentityFederation/,
  });
});

await t.test('a role without permission is reported with the missing action', async (t) => {
  await lab.update({ outbound, instance: { roleName: 'lab-denied' } });
  await t.rejects(issueToken({ AWS_REGION: 'us-west-2' }), { kind: 'denied', message: /sts:GetWebIdentityToken/ });
});

await t.test('a region that is none is not asked', async (t) => {
  await t.rejects(issueToken({ AWS_REGION: 'nowhere' }), {
    kind: 'misconfigured',
    message: /region/,
    remedy: 'set AWS_REGION',
  });
});

async function logIn(role: Readonly<Record<string, string>>): Promise<unknown> {
  const image = parseImageReference('123456789012.dkr.ecr.us-west-2.amazonaws.com/app');
  const { registry: service } = cloud({});
  const registry = image && service?.match(image);
  if (service === undefined || registry === undefined) throw new Error('no ECR');
  const as: Identity = { kind: 'node', role };
  return service.logIn(registry, as, context());
}

const podRole = 'arn:aws:iam::123456789012:role/lab-pod';

await t.test(
  "the node takes on the role that the configuration gives it, with the other account's external id",
  async (t) => {
    t.match(await logIn({ 'eks.amazonaws.com/role-arn': podRole, [keys.awsExternalId]: 'team-7' }), {
      username: 'AWS',
    });
    const [asked] = (await lab.requests()).filter(({ service }) => service === 'sts');
    t.equal(new URLSearchParams(asked?.body).get('ExternalId'), 'team-7');
    const { registryLogins } = await lab.state();
    t.match(registryLogins.at(-1)?.arn, /assumed-role\/lab-pod\//);
  },
);

await t.test('a role that names none is a mistake, and never the node itself', async (t) => {
  await t.rejects(logIn({ 'example.com/role': podRole }), { kind: 'misconfigured', message: /names no AWS role/ });
  t.equal((await lab.requests()).length, 0);
});
