import { ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { ECRPUBLICClient, GetAuthorizationTokenCommand as GetPublicTokenCommand } from '@aws-sdk/client-ecr-public';
import t from 'tap';
import type { AwsCredentials } from '../../../../clouds/aws/identity/credentials.ts';
import * as ecr from '../../../../clouds/aws/registry/ecr.ts';
import * as ecrPublic from '../../../../clouds/aws/registry/ecr-public.ts';
import { createSdkTransport } from '../../../../clouds/aws/sdk-transport.ts';
import { Secret } from '../../../../lib/secret.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import { startEc2Lab } from '../ec2-lab.ts';

const { lab, context } = await startEc2Lab(t);
t.beforeEach(() => lab.reset());

const good: AwsCredentials = {
  accessKeyId: labUserKey.accessKeyId,
  secretAccessKey: new Secret(labUserKey.secretAccessKey),
  source: 'the test',
};
const bad: AwsCredentials = { ...good, secretAccessKey: new Secret('nobody’s') };
const region = 'us-east-1';
const minuteMs = 60_000;

/** The SDK's own clients, which ours are compared with. */
const services = {
  ecr: {
    ours: ecr.getAuthorization,
    theirs: async (as: AwsCredentials) => {
      const client = new ECRClient(clientOptions('ecr', as));
      return (await client.send(new GetAuthorizationTokenCommand({}))).authorizationData?.[0];
    },
  },
  'ecr-public': {
    ours: ecrPublic.getAuthorization,
    theirs: async (as: AwsCredentials) => {
      const client = new ECRPUBLICClient(clientOptions('ecr-public', as));
      return (await client.send(new GetPublicTokenCommand({}))).authorizationData;
    },
  },
} as const;

function clientOptions(service: string, { accessKeyId, secretAccessKey }: AwsCredentials) {
  const credentials = { accessKeyId, secretAccessKey: secretAccessKey.reveal() };
  return { endpoint: lab.url(service), region, credentials, maxAttempts: 1 };
}

for (const service of ['ecr', 'ecr-public'] as const) {
  const { ours, theirs } = services[service];
  const askAsOurs = (as: AwsCredentials, wallMs: number): Promise<unknown> => {
    const target = { endpoint: new URL(lab.url(service)), region, transport: createSdkTransport(context(), undefined) };
    return ours(target, as, wallMs);
  };

  await t.test(`${service}: the same question as by the SDK's client, and the same answer`, async (t) => {
    const answers = [await askAsOurs(good, Date.now()), await theirs(good)].map((answer) => fields(answer));
    t.strictSame(answers[0], answers[1]);
    const [own, sdks] = (await lab.requests()).filter((request) => request.service === service);
    for (const name of ['content-type', 'x-amz-target', 'host', 'content-length']) {
      t.ok(own?.headers[name], name);
      t.equal(own?.headers[name], sdks?.headers[name], name);
    }
    t.match(
      [own, sdks],
      [
        { body: '{}', path: '/' },
        { body: '{}', path: '/' },
      ],
    );
    t.equal(own?.headers['user-agent'], 'polycloud');
  });

  const refusals: Readonly<Record<string, () => Promise<unknown>>> = {
    throttled: () => lab.addFault({ service, kind: 'throttle' }),
    'an error of the server': () => lab.addFault({ service, kind: 'status', status: 500 }),
    garbage: () => lab.addFault({ service, kind: 'garbage' }),
    'a clock that is wrong': () => lab.addFault({ service, kind: 'clock', aheadMs: 60 * minuteMs }),
  };
  for (const [what, prepare] of Object.entries(refusals)) {
    await t.test(`${service}: ${what} gives the same error as the SDK's client`, async (t) => {
      await prepare();
      const expected = outcome(await theirs(good).catch((error: unknown) => error));
      t.strictSame(outcome(await askAsOurs(good, Date.now()).catch((error: unknown) => error)), expected);
    });
  }

  await t.test(`${service}: keys that are not the right ones`, async (t) => {
    const expected = outcome(await theirs(bad).catch((error: unknown) => error));
    t.match(expected, { name: /\w+/, status: /^40/ });
    t.strictSame(outcome(await askAsOurs(bad, Date.now()).catch((error: unknown) => error)), expected);
  });

  await t.test(`${service}: the signature has the given time`, async (t) => {
    await lab.addFault({ service, kind: 'clock', aheadMs: 60 * minuteMs });
    t.ok(fields(await askAsOurs(good, Date.now() + 60 * minuteMs)).authorizationToken);
  });
}

/** All but what differs from one answer to the next. */
function fields(answer: unknown) {
  const { authorizationToken, expiresAt, ...rest } = answer as Readonly<Record<string, unknown>>;
  return { ...rest, authorizationToken: typeof authorizationToken, expires: expiresAt instanceof Date };
}

/** What callers look at of an error. */
function outcome(error: unknown) {
  const { name, message, $response } = error as Error & { readonly $response?: { readonly statusCode: number } };
  // The SDK adds a hint for its users.
  return { name, message: message.split('\n')[0], status: String($response?.statusCode) };
}
