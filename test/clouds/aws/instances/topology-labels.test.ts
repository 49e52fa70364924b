import t from 'tap';
import type { AccountSession, SessionResponse } from '../../../../clouds/aws/instances/account-session.ts';
import type { DescribedInstance } from '../../../../clouds/aws/instance.ts';
import { createTopologyLabels } from '../../../../clouds/aws/instances/topology-labels.ts';
import { parseTopologyPage } from '../../../../clouds/aws/instances/parse.ts';
import type { Context } from '../../../../lib/context.ts';
import { Failure } from '../../../../lib/failure.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import { unusedContext } from '../../contexts.ts';
import { account, nodeOf, startEc2Lab, westScope } from '../ec2-lab.ts';

const start = 'topology.k8s.aws/network-node-layer-';

await t.test('in front of EC2', async (t) => {
  const { lab, instances: create, lookUp: look, requestCount: asked, logLines: said } = await startEc2Lab(t);
  const place = { region: 'us-west-2', zoneLetters: ['a'], accountId: account, launchedAtMs: 0 };
  const plain = Object.values(fleetOf({ ...place, count: 3, number: 0 }));
  const accelerated = Object.values(fleetOf({ ...place, count: 250, number: 1 })).map((each) => ({
    ...each,
    instanceType: 'p5.48xlarge',
  }));
  const all = [...plain, ...accelerated];
  await lab.update({ ec2Instances: Object.fromEntries(all.map((each) => [each.instanceId, each])) });

  await t.test('instances of the families that have layers get them as labels, 100 by one question', async (t) => {
    await permit(['ec2:DescribeInstances', 'ec2:DescribeInstanceTopology']);
    const instances = create({});
    const findings = await look(instances, westScope, all.map(nodeOf));
    t.equal(await asked(), 1 + 3);
    t.match(findings.at(-1), {
      instance: { labels: { [`${start}1`]: 'nn-uw2-az1', [`${start}3`]: /^nn-uw2-az1-\w+/ } },
    });
    t.notMatch(findings[0], { instance: { labels: { [`${start}1`]: String } } });
    await look(instances, westScope, all.map(nodeOf));
    t.equal(await asked(), 1 + 3 + 1, 'they are remembered');
  });

  await t.test('without the permission the rest is found as usual, and the refusal is logged', async (t) => {
    await permit(['ec2:DescribeInstances']);
    const [finding] = await look(create({}), westScope, accelerated.slice(0, 1).map(nodeOf));
    t.match(finding, { status: 'running', instance: { labels: { 'topology.k8s.aws/zone-id': 'uw2-az1' } } });
    t.match(said.join('\n'), /network layers are not known, and not waited for: .*ec2:DescribeInstanceTopology/);
  });

  async function permit(permissions: readonly string[]): Promise<void> {
    await lab.update({ users: { 'lab-user': { id: 'AIDALABUSER0000000000', permissions } } });
  }
});

const one: DescribedInstance = {
  instanceId: 'i-1',
  ownerId: account,
  state: 'running',
  type: 'trn2.48xlarge',
  zone: 'us-west-2a',
  zoneId: 'usw2-az1',
  privateDnsName: undefined,
  publicDnsName: undefined,
  publicIp: undefined,
  interfaces: [],
};
const item =
  '<item><instanceId>i-1</instanceId><networkNodeSet><item>nn-a</item><item>nn-b</item></networkNodeSet></item>';
const page = `<DescribeInstanceTopologyResponse><instanceSet>${item}</instanceSet></DescribeInstanceTopologyResponse>`;

function fakeSession(answers: () => Promise<SessionResponse>): AccountSession & { questions(): number } {
  let questions = 0;
  return {
    request: () => {
      questions += 1;
      return answers();
    },
    questions: () => questions,
  };
}

await t.test('an answer that takes its time is not waited for, and is there the next time', async (t) => {
  const clock = createFakeClock(0);
  const context: Context = { ...unusedContext, clock };
  const { promise, resolve } = Promise.withResolvers<SessionResponse>();
  const layers = createTopologyLabels(fakeSession(() => promise));
  const first = layers.labelsByInstanceId([one], context);
  await clock.advance(1_000);
  t.equal((await first).get('i-1'), undefined);
  resolve({ is: 'answer', body: page, target: 'ec2' });
  await promise;
  t.strictSame((await layers.labelsByInstanceId([one], context)).get('i-1'), {
    [`${start}1`]: 'nn-a',
    [`${start}2`]: 'nn-b',
  });
});

await t.test('after a failure no request is sent for five minutes', async (t) => {
  const clock = createFakeClock(0);
  const context: Context = { ...unusedContext, clock };
  const session = fakeSession(() => Promise.reject(new Failure('denied', 'no', { remedy: 'allow it' })));
  const layers = createTopologyLabels(session);
  await layers.labelsByInstanceId([one], context);
  await layers.labelsByInstanceId([one], context);
  t.equal(session.questions(), 1);
  await clock.advance(5 * 60_000);
  await layers.labelsByInstanceId([one], context);
  t.equal(session.questions(), 2);
});

await t.test('only what runs, and is of such a family, is asked for', async (t) => {
  const session = fakeSession(() => Promise.resolve({ is: 'answer', body: page, target: 'ec2' }));
  const layers = createTopologyLabels(session);
  for (const type of ['m7g.large', 'r6i.large', 'g6.xlarge', 'inf2.xlarge', undefined]) {
    await layers.labelsByInstanceId([{ ...one, type }], unusedContext);
  }
  await layers.labelsByInstanceId([{ ...one, state: 'pending' }], unusedContext);
  t.equal(session.questions(), 0);
  for (const [index, type] of [
    'hpc7a.96xlarge',
    'p5.48xlarge',
    'p6-b200.48xlarge',
    'p4de.24xlarge',
    'trn1n.32xlarge',
    'g6e.xlarge',
  ].entries()) {
    await layers.labelsByInstanceId([{ ...one, instanceId: `i-of-${type}`, type }], unusedContext);
    t.equal(session.questions(), index + 1, type);
  }
});

await t.test('what is no answer of that kind', (t) => {
  for (const body of ['', '<html/>', '<DescribeInstanceTopologyResponse/>', page.slice(0, -5)]) {
    t.equal(parseTopologyPage(body), undefined, body.slice(0, 40));
  }
  t.end();
});
