import t from 'tap';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { runLookupConformance } from '../../lookup-conformance.ts';
import { account, nodeOf, nodeWith, startEc2Lab, westScope } from '../ec2-lab.ts';

const { lab, instances: create, context } = await startEc2Lab(t);
const fleet = { region: 'us-west-2', zoneLetters: ['a'], accountId: account, launchedAtMs: 0, number: 0 };
const two = Object.values(fleetOf({ ...fleet, count: 2 }));
const [first, second] = two as [Ec2Instance, Ec2Instance];

const faults: readonly Fault[] = [
  { service: 'ec2', kind: 'throttle' },
  { service: 'ec2', kind: 'garbage' },
  { service: 'ec2', kind: 'empty' },
  { service: 'ec2', kind: 'cut-off' },
  { service: 'ec2', kind: 'reset' },
];
const failures = Object.fromEntries(faults.map((fault) => [fault.kind, () => lab.addFault(fault)]));

await runLookupConformance(t, {
  scope: westScope,
  running: [nodeOf(first), nodeOf(second)],
  missing: nodeWith('aws:///us-west-2a/i-00000000000000aaa'),
  malformed: nodeWith('aws:///us-west-2a/i-broken'),
  failures: {
    ...failures,
    'no permission': () => lab.update({ users: { 'lab-user': { id: 'AIDA', permissions: [] } } }),
  },
  open: async () => {
    await lab.reset();
    await lab.update({ ec2Instances: Object.fromEntries(two.map((each) => [each.instanceId, each])) });
    return { instances: create({}), context: context() };
  },
});
