import t from 'tap';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { labCredentialId } from '../../../lab/clouds/openstack/state.ts';
import { runRouteConformance } from '../../route-conformance.ts';
import { nodeWith } from '../openstack-lab.ts';
import { routedFacts, startNeutronRouteLab } from './route-lab.ts';

const { lab, open, servers } = await startNeutronRouteLab(t);
const [first, second] = servers;
const faults: readonly Fault[] = [
  { service: 'neutron', kind: 'throttle' },
  { service: 'neutron', kind: 'garbage' },
  { service: 'neutron', kind: 'empty' },
  { service: 'neutron', kind: 'cut-off' },
  { service: 'neutron', kind: 'reset' },
  { service: 'keystone', kind: 'refuse' },
];

await runRouteConformance(t, {
  nodes: [routedFacts(first), routedFacts(second)],
  missing: {
    facts: nodeWith('openstack:///b0000000-0000-4000-8000-999999999999'),
    addresses: [{ type: 'InternalIP', address: '10.0.99.99' }],
  },
  foreignNode: nodeWith('aws:///us-west-2a/i-0123456789abcdef0'),
  failures: {
    ...Object.fromEntries(faults.map((fault) => [`${fault.service} ${fault.kind}`, () => lab.addFault(fault)])),
    'no role that may read': async () => {
      const credential = (await lab.state()).applicationCredentials[labCredentialId];
      if (credential === undefined) throw new Error('the lab has changed');
      await lab.update({ applicationCredentials: { [labCredentialId]: { ...credential, roles: [] } } });
    },
  },
  open,
});
