import t from 'tap';
import { routedFacts, startRouteLab } from './route-lab.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { nodeWith } from '../ec2-lab.ts';
import { runRouteConformance } from '../../route-conformance.ts';

const { lab, open, instances } = await startRouteLab(t);
const [first, second] = instances;

const faults: readonly Fault[] = [
  { service: 'ec2', kind: 'throttle' },
  { service: 'ec2', kind: 'garbage' },
  { service: 'ec2', kind: 'empty' },
  { service: 'ec2', kind: 'cut-off' },
  { service: 'ec2', kind: 'reset' },
];

await runRouteConformance(t, {
  nodes: [routedFacts(first), routedFacts(second)],
  missing: { facts: nodeWith('aws:///us-west-2a/i-00000000000000aaa'), addresses: [] },
  foreignNode: nodeWith('gce://project/zone/name'),
  failures: {
    ...Object.fromEntries(faults.map((fault) => [fault.kind, () => lab.addFault(fault)])),
    'no permission': () => lab.update({ users: { 'lab-user': { id: 'AIDA', permissions: [] } } }),
    'no table': () => lab.update({ ec2: { answers: 'empty' } }),
  },
  open: () => open({ clusterName: 'prod' }),
});
