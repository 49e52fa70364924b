import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import type { Fault, RefuseFault, ShapingFault, WireFault } from '../../lab/clouds/faults.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask } from './provider.ts';
import { throughFrontEnd } from './through-front-end.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const msPerMinute = 60_000;

interface FaultCase {
  readonly name: string;
  readonly faults: readonly Fault[];
  /** The message; absent: there is a login nevertheless. */
  readonly says?: RegExp;
  /** Requests to the faulty service. */
  readonly asked?: number;
}

type Kind = ShapingFault | WireFault | RefuseFault;

function always(service: string, fault: Kind & { readonly count?: number; readonly pathPrefix?: string }): Fault {
  return { service, ...fault };
}

/** Faults that end within seconds, one at a time. */
const quickCases: readonly FaultCase[] = [
  // The registry's API.
  {
    name: 'the API refuses connections',
    faults: [always('ecr', { kind: 'refuse' })],
    says: /api\.ecr\.us-west-2\.amazonaws\.com: the connection was refused .*check routes, firewall/,
  },
  { name: 'the API is slow', faults: [always('ecr', { kind: 'delay', delayMs: 1_500 })], asked: 1 },
  {
    name: 'the API throttles twice, with a Retry-After',
    faults: [always('ecr', { kind: 'throttle', retryAfterS: 1, count: 2 })],
    asked: 3,
  },
  {
    name: 'the API throttles twice, without a Retry-After',
    faults: [always('ecr', { kind: 'throttle', count: 2 })],
    asked: 3,
  },
  {
    name: 'the API requests a wait that exceeds the deadline',
    faults: [always('ecr', { kind: 'throttle', retryAfterS: 120 })],
    says: /throttles ecr:GetAuthorizationToken, asking to wait 120 s; hint: .*quota/,
    asked: 1,
  },
  {
    name: 'the API throttles always',
    faults: [always('ecr', { kind: 'throttle' })],
    says: /throttles ecr:GetAuthorizationToken; hint: .*quota/,
    asked: 4,
  },
  { name: 'the API fails once', faults: [always('ecr', { kind: 'status', status: 503, count: 1 })], asked: 2 },
  {
    name: 'the API fails always',
    faults: [always('ecr', { kind: 'status', status: 500 })],
    says: /answered HTTP 500: an error of its own; hint: /,
    asked: 4,
  },
  { name: 'the API resets the connection once', faults: [always('ecr', { kind: 'reset', count: 1 })], asked: 2 },
  {
    name: 'the API resets each connection',
    faults: [always('ecr', { kind: 'reset' })],
    says: /it closed the connection without an answer/,
    asked: 4,
  },
  { name: 'the response is truncated once', faults: [always('ecr', { kind: 'cut-off', count: 1 })], asked: 2 },
  {
    name: 'each response is truncated',
    faults: [always('ecr', { kind: 'cut-off' })],
    says: /its answer was cut off/,
    asked: 4,
  },
  {
    name: 'the response is huge',
    faults: [always('ecr', { kind: 'huge', sizeMb: 5 })],
    says: /its answer is too large \(more than 1 MB\)/,
    asked: 1,
  },
  {
    name: 'the response is garbage',
    faults: [always('ecr', { kind: 'garbage' })],
    says: /answered ecr:GetAuthorizationToken with something that is not its format; hint: .*proxy/,
  },
  {
    name: 'the response is empty',
    faults: [always('ecr', { kind: 'empty' })],
    says: /without a usable authorization token/,
  },
  {
    name: 'the API redirects',
    faults: [always('ecr', { kind: 'redirect', status: 307, location: 'https://sts.us-west-2.amazonaws.com/' })],
    says: /answered HTTP 307: a redirect, which is not followed with credentials/,
    asked: 1,
  },
  {
    name: 'the clock is skewed beyond what AWS accepts',
    faults: [always('ecr', { kind: 'clock', aheadMs: 20 * msPerMinute })],
    asked: 2,
  },
  // The metadata service.
  {
    name: 'the metadata service refuses connections',
    faults: [always('imds', { kind: 'refuse' })],
    says: /the instance metadata service at 169\.254\.169\.254: the connection was refused .*off AWS give credentials/,
  },
  { name: 'the metadata service is slow', faults: [always('imds', { kind: 'delay', delayMs: 700 })], asked: 3 },
  { name: 'the metadata service throttles once', faults: [always('imds', { kind: 'throttle', count: 1 })], asked: 4 },
  {
    name: 'the metadata service fails always',
    faults: [always('imds', { kind: 'status', status: 500 })],
    says: /the instance metadata service answered HTTP 500: an error of its own/,
    asked: 4,
  },
  {
    name: 'the metadata service refuses this caller',
    faults: [always('imds', { kind: 'status', status: 403 })],
    says: /refused a version 2 session \(HTTP 403\); hint: .*hop limit/,
    asked: 1,
  },
  {
    name: 'the metadata service redirects',
    faults: [always('imds', { kind: 'redirect', status: 302, location: 'http://169.254.169.254/latest/api/token' })],
    says: /the instance metadata service answered HTTP 302: a redirect/,
    asked: 1,
  },
  {
    name: 'the metadata service returns garbage instead of the role',
    faults: [always('imds', { kind: 'garbage', pathPrefix: '/latest/meta-data/iam/security-credentials/lab' })],
    says: /the instance metadata service answered, but its credentials of the instance's role lack/,
  },
  {
    name: 'the metadata service returns a huge response',
    faults: [always('imds', { kind: 'huge', sizeMb: 3 })],
    says: /its answer is too large \(more than 1 MB\)/,
  },
  {
    name: "the metadata service cuts the role's credentials off",
    faults: [always('imds', { kind: 'cut-off', pathPrefix: '/latest/meta-data/iam/security-credentials/lab' })],
    says: /its answer was cut off/,
  },
  {
    name: 'the metadata service serves expired credentials',
    faults: [always('imds', { kind: 'expired' })],
    says: /refuses the credentials, which have expired: the instance's role; hint: check this node's clock/,
  },
];

await t.test('faults in front of the executable', requires(await namespaceSupport()), async (t) => {
  const network = await createAwsNetwork({ regions: ['us-west-2', 'us-east-1'], ipVersions: [4] });
  t.teardown(() => network.stop());
  const { namespace, aws } = network;
  t.beforeEach(() => aws.reset());

  for (const { name, faults, says, asked } of quickCases) {
    await t.test(`${name}: ${says === undefined ? 'there is a login' : 'one clear line'}`, async (t) => {
      for (const fault of faults) await aws.addFault(fault);
      const { answer, code, stderr } = await ask(namespace, { image });
      t.equal(code, says === undefined ? 0 : 1);
      if (says === undefined) t.match(answer, { cacheKeyType: 'Registry' });
      else t.match(stderr, says);
      const service = faults[0]?.service;
      const requests = (await aws.requests()).filter((request) => request.service === service);
      if (asked !== undefined) t.equal(requests.length, asked, 'asked as often as it should be');
    });
  }

  await t.test('a skewed clock is reported', async (t) => {
    await aws.addFault({ service: 'ecr', kind: 'clock', aheadMs: 20 * msPerMinute });
    const { stderr, answer } = await ask(namespace, { image });
    // With a response, the broker writes it to its own log.
    if (!throughFrontEnd) t.match(stderr, /this node's clock is 20 minutes behind AWS's/);
    t.match(answer?.cacheDuration, /^(?:5h59m\d+|6h0m\d)s$/, 'the life of the login is counted by one clock');
  });

  await t.test('a denied role: the message names role, action and policy', async (t) => {
    await aws.update({ instance: { roleName: 'lab-denied' } });
    const { stderr, code } = await ask(namespace, { image });
    t.equal(code, 1);
    t.match(stderr, /denied ecr:GetAuthorizationToken to arn:aws:sts::123456789012:assumed-role\/lab-denied\/i-/);
    t.match(stderr, /AmazonEC2ContainerRegistryPullOnly/);
  });

  await t.test('an instance without a role', async (t) => {
    await aws.update({ instance: { roleName: null } });
    const { stderr } = await ask(namespace, { image });
    t.match(stderr, /this instance has no IAM role; hint: attach an instance profile/);
  });

  await t.test('a login without an expiry, or an expired one, is not cached', async (t) => {
    for (const kind of ['no-expiry', 'expired'] as const) {
      await aws.reset();
      await aws.addFault({ service: 'ecr', kind });
      const { answer } = await ask(namespace, { image });
      t.equal(answer?.cacheDuration, '0s', kind);
    }
  });

  await t.test('an unknown authority', async (t) => {
    const { stderr, code } = await ask(namespace, { image, env: { SSL_CERT_FILE: '/dev/null' } });
    t.equal(code, 1);
    t.match(stderr, /its certificate was signed by an authority that this node does not trust .*caFile/);
    t.equal((await aws.requests()).filter(({ service }) => service === 'ecr').length, 0, 'nothing was sent');
  });

  await t.test('a region whose API has no address', async (t) => {
    const { stderr } = await ask(namespace, { image: '123456789012.dkr.ecr.eu-west-3.amazonaws.com/team/app' });
    t.match(stderr, /api\.ecr\.eu-west-3\.amazonaws\.com: its name could not be resolved .*check this node's DNS/);
  });
});
