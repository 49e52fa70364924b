import t from 'tap';
import type { Http } from '../../../../lib/http/http.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { account, nodeNamed, nodeOf, nodeWith, startEc2Lab, westScope } from '../ec2-lab.ts';

const { lab, instances: create, lookUp: look, requestCount: asked, logLines: said, context } = await startEc2Lab(t);
const fleet = { region: 'us-west-2', zoneLetters: ['a', 'b'], accountId: account, launchedAtMs: 0, number: 0 };
const four = fleetOf({ ...fleet, count: 4 });
const nodes = Object.values(four).map(nodeOf);

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ ec2Instances: four });
});

interface Case {
  readonly what: string;
  readonly fault: Fault;
  readonly expected: object;
  /** Two zones: what may be one zone's fault is asked of each. */
  readonly questions: number;
}

const ec2 = { service: 'ec2' } as const;
const cases: readonly Case[] = [
  {
    what: 'throttled, with a time to wait',
    fault: { ...ec2, kind: 'throttle', retryAfterS: 7 },
    expected: { kind: 'throttled', retryAfterMs: 7_000, message: /throttles ec2:DescribeInstances/ },
    questions: 1,
  },
  {
    what: 'an error of its own',
    fault: { ...ec2, kind: 'status', status: 503 },
    expected: { kind: 'unavailable', message: /HTTP 503/ },
    questions: 3,
  },
  { what: 'garbage', fault: { ...ec2, kind: 'garbage' }, expected: { kind: 'invalid-response' }, questions: 1 },
  { what: '200 and nothing', fault: { ...ec2, kind: 'empty' }, expected: { kind: 'invalid-response' }, questions: 1 },
  { what: 'half an answer', fault: { ...ec2, kind: 'cut-off' }, expected: { kind: 'unavailable' }, questions: 1 },
  { what: 'a reset', fault: { ...ec2, kind: 'reset' }, expected: { kind: 'unavailable' }, questions: 1 },
  {
    what: 'HTML',
    fault: { ...ec2, kind: 'status', status: 200, body: '<html><body>Please sign in</body></html>' },
    expected: { kind: 'invalid-response' },
    questions: 1,
  },
  {
    what: 'an answer without its list',
    fault: { ...ec2, kind: 'status', status: 200, body: '<DescribeInstancesResponse/>' },
    expected: { kind: 'invalid-response' },
    questions: 1,
  },
  {
    what: 'a redirect',
    fault: { ...ec2, kind: 'redirect', status: 307, location: 'http://127.0.0.1:1/' },
    expected: { kind: 'misconfigured' },
    questions: 1,
  },
  {
    what: 'an id refused that nobody asked for',
    fault: {
      ...ec2,
      kind: 'status',
      status: 400,
      body: "<Response><Errors><Error><Code>InvalidInstanceID.NotFound</Code><Message>The instance ID 'i-99' does not exist</Message></Error></Errors></Response>",
    },
    expected: { status: 'unknown' },
    questions: 2,
  },
];

for (const { what, fault, expected, questions } of cases) {
  await t.test(`${what}: no instance is gone`, async (t) => {
    await lab.addFault(fault);
    const outcome = await look(create({}), westScope, nodes).catch((error: unknown) => [error]);
    for (const each of outcome) t.match(each, expected);
    t.equal(await asked(), questions);
  });
}

await t.test('denied, with the name of who was', async (t) => {
  await lab.update({ users: { 'lab-user': { id: 'AIDA', permissions: [] } } });
  await t.rejects(look(create({}), westScope, nodes), {
    kind: 'denied',
    message:
      /denied ec2:DescribeInstances to arn:aws:iam::123456789012:user\/lab-user, because no identity-based policy/,
    remedy: 'allow ec2:DescribeInstances on * for it',
  });
});

await t.test('keys that were revoked, and then given back', async (t) => {
  const instances = create({});
  const { accessKeys } = await lab.state();
  await lab.update({ accessKeys: { [labUserKey.accessKeyId]: { ...labUserKey, secretAccessKey: 'other' } } });
  await t.rejects(look(instances, westScope, nodes), { kind: 'denied', message: /does not accept the keys/ });
  await lab.update({ accessKeys });
  t.ok((await look(instances, westScope, nodes)).every((finding) => finding?.status === 'running'));
});

await t.test('a clock that is wrong by an hour is reported, and corrected for this request and the next', async (t) => {
  const instances = create({});
  await lab.addFault({ ...ec2, kind: 'clock', aheadMs: 3_600_000 });
  t.ok((await look(instances, westScope, nodes)).every((finding) => finding?.status === 'running'));
  t.match(said.at(-1), /clock is 60 minutes behind AWS's; signing by AWS's clock/);
  t.equal(await asked(), 2);
  await look(instances, westScope, nodes);
  t.equal(await asked(), 3);
});

await t.test('half of the requests fail: the results of the other half are returned', async (t) => {
  await lab.addFault({ ...ec2, kind: 'throttle', count: 1 });
  const findings = await look(create({}), westScope, [...nodes, nodeNamed('ip-10-0-0-1.us-west-2.compute.internal')]);
  const kinds = new Set(findings.map((finding) => finding?.status));
  t.ok(kinds.has('running') && kinds.has('unknown'), [...kinds].join());
});

await t.test('no time left: no request is sent', async (t) => {
  const late = { ...context(), deadlineAtMs: 0 };
  await t.rejects(create({}).lookUp(westScope, { nodes, verify: [] }, late), {
    kind: 'unavailable',
    message: /no time was left/,
  });
  t.equal(await asked(), 0);
});

await t.test('who hangs is not waited for longer than the time that is left', async (t) => {
  await lab.addFault({ ...ec2, kind: 'hang' });
  const startedAtMs = performance.now();
  const soon = { ...context(), deadlineAtMs: context().clock.monotonicMs() + 300 };
  await t.rejects(create({}).lookUp(westScope, { nodes, verify: [] }, soon), { kind: 'unavailable', message: /./ });
  t.ok(performance.now() - startedAtMs < 5_000);
});

await t.test('a request that hangs leaves time to look up each zone', async (t) => {
  const limitsMs: number[] = [];
  const send: Http['send'] = ({ limits }) => {
    limitsMs.push(limits.totalMs);
    return Promise.reject(new NetworkError('timeout', ''));
  };
  const lookUpMs = 30_000;
  const given = context();
  const hanging = { ...given, http: { send }, deadlineAtMs: given.clock.monotonicMs() + lookUpMs };
  await t.rejects(create({}).lookUp(westScope, { nodes, verify: [] }, hanging), { kind: 'unavailable', message: /./ });
  const [whole, ...zones] = limitsMs;
  t.equal(zones.length, 2);
  t.ok((whole ?? Infinity) + Math.max(...zones) < lookUpMs, limitsMs.join(' '));
});

await t.test('without a scope no request is sent, and the reason is reported', async (t) => {
  const instances = create({});
  const node = nodeWith('aws:///us-west-2a/web-1');
  const [scope] = instances.scopesOf(node) ?? [];
  t.equal(scope?.key, 'aws/nowhere');
  const findings = await look(instances, scope ?? westScope, [node]);
  t.match(findings, [
    { status: 'unknown', failure: { kind: 'misconfigured', message: /aws:\/\/\/us-west-2a\/web-1/ } },
  ]);
  t.equal(await instances.verifyAccess(scope ?? westScope, context()), false);
  t.equal(await asked(), 0);
});

await t.test('no log has a secret', (t) => {
  t.notOk(showsSecret(said.join('\n')));
  t.ok(said.length > 0);
  t.end();
});
