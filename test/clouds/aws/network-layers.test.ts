import t from 'tap';
import type { AccountSession, SessionAnswer } from '../../../clouds/aws/account-session.ts';
import type { DescribedInstance } from '../../../clouds/aws/described-instance.ts';
import { createNetworkLayers } from '../../../clouds/aws/network-layers.ts';
import { parseTopologyPage } from '../../../clouds/aws/parse-topology.ts';
import type { Context } from '../../../clouds/cloud.ts';
import { Failure } from '../../../lib/failure.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { fleetOf } from '../../lab/clouds/aws/ec2-fleet.ts';
import { unusedContext } from '../contexts.ts';
import { account, nodeOf, startEc2Lab, west } from './ec2-lab.ts';

const start = 'topology.k8s.aws/network-node-layer-';

await t.test('in front of EC2', async (t) => {
  const { lab, instances: create, look, asked, said } = await startEc2Lab(t);
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
    const findings = await look(instances, west, all.map(nodeOf));
    t.equal(await asked(), 1 + 3);
    t.match(findings.at(-1), {
      instance: { labels: { [`${start}1`]: 'nn-uw2-az1', [`${start}3`]: /^nn-uw2-az1-\w+/ } },
    });
    t.notMatch(findings[0], { instance: { labels: { [`${start}1`]: String } } });
    await look(instances, west, all.map(nodeOf));
    t.equal(await asked(), 1 + 3 + 1, 'they are remembered');
  });

  await t.test('without the permission the rest is found as ever, and it is said', async (t) => {
    await permit(['ec2:DescribeInstances']);
    const [finding] = await look(create({}), west, accelerated.slice(0, 1).map(nodeOf));
    t.match(finding, { is: 'present', running: true, instance: { labels: { 'topology.k8s.aws/zone-id': 'uw2-az1' } } });
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

function sessionThat(answers: () => Promise<SessionAnswer>): AccountSession & { questions(): number } {
  let questions = 0;
  return {
    ask: () => {
      questions += 1;
      return answers();
    },
    questions: () => questions,
  };
}

await t.test('an answer that takes its time is not waited for, and is there the next time', async (t) => {
  const clock = createFakeClock(0);
  const context: Context = { ...unusedContext, clock };
  const { promise, resolve } = Promise.withResolvers<SessionAnswer>();
  const layers = createNetworkLayers(sessionThat(() => promise));
  const first = layers.labelsOf([one], context);
  await clock.advance(1_000);
  t.equal((await first).get('i-1'), undefined);
  resolve({ is: 'answer', body: page, whom: 'ec2' });
  await promise;
  t.strictSame((await layers.labelsOf([one], context)).get('i-1'), { [`${start}1`]: 'nn-a', [`${start}2`]: 'nn-b' });
});

await t.test('after a failure nobody is asked for five minutes', async (t) => {
  const clock = createFakeClock(0);
  const context: Context = { ...unusedContext, clock };
  const session = sessionThat(() => Promise.reject(new Failure('denied', 'no', { remedy: 'allow it' })));
  const layers = createNetworkLayers(session);
  await layers.labelsOf([one], context);
  await layers.labelsOf([one], context);
  t.equal(session.questions(), 1);
  await clock.advance(5 * 60_000);
  await layers.labelsOf([one], context);
  t.equal(session.questions(), 2);
});

await t.test('only what runs, and is of such a family, is asked for', async (t) => {
  const session = sessionThat(() => Promise.resolve({ is: 'answer', body: page, whom: 'ec2' }));
  const layers = createNetworkLayers(session);
  for (const type of ['m7g.large', 'r6i.large', 'g6.xlarge', 'inf2.xlarge', undefined]) {
    await layers.labelsOf([{ ...one, type }], unusedContext);
  }
  await layers.labelsOf([{ ...one, state: 'pending' }], unusedContext);
  t.equal(session.questions(), 0);
  for (const [index, type] of [
    'hpc7a.96xlarge',
    'p5.48xlarge',
    'p6-b200.48xlarge',
    'p4de.24xlarge',
    'trn1n.32xlarge',
    'g6e.xlarge',
  ].entries()) {
    await layers.labelsOf([{ ...one, instanceId: `i-of-${type}`, type }], unusedContext);
    t.equal(session.questions(), index + 1, type);
  }
});

await t.test('what is no answer of that kind', (t) => {
  for (const body of ['', '<html/>', '<DescribeInstanceTopologyResponse/>', page.slice(0, -5)]) {
    t.equal(parseTopologyPage(body), undefined, body.slice(0, 40));
  }
  t.end();
});
