import t from 'tap';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { serverFleetOf } from '../../../lab/clouds/openstack/server.ts';
import type { LabServer } from '../../../lab/clouds/openstack/server.ts';
import { labCredentialId, labProjectId, labUserId } from '../../../lab/clouds/openstack/state.ts';
import { runLookupConformance } from '../../lookup-conformance.ts';
import { nodeOf, nodeWith, ownScope, startOpenstackLab } from '../openstack-lab.ts';

const { lab, instances: create, context, reset } = await startOpenstackLab(t);
const fleet = serverFleetOf({ count: 2, projectId: labProjectId, number: 0 });
const [first, second] = Object.values(fleet.servers) as [LabServer, LabServer];

const errorBody = JSON.stringify({ computeFault: { code: 500, message: 'Unexpected API Error.' } });
const notFoundBody = JSON.stringify({ itemNotFound: { code: 404, message: 'The resource could not be found.' } });
const faults: Readonly<Record<string, Fault>> = {
  throttled: { service: 'nova', kind: 'throttle' },
  'throttled as by older releases': { service: 'nova', kind: 'throttle', status: 413 },
  garbage: { service: 'nova', kind: 'garbage' },
  'an empty body': { service: 'nova', kind: 'empty' },
  'half a body': { service: 'nova', kind: 'cut-off' },
  'a TCP reset': { service: 'nova', kind: 'reset' },
  '200 with an error body': { service: 'nova', kind: 'status', status: 200, body: errorBody },
  '200 with an empty object': { service: 'nova', kind: 'status', status: 200, body: '{}' },
  'the 404 of a proxy': { service: 'nova', kind: 'status', status: 404, body: '<html>Not Found</html>' },
  'the 404 of another path': { service: 'nova', kind: 'status', status: 404, body: notFoundBody },
  'no Keystone': { service: 'keystone', kind: 'refuse' },
  'Keystone has an error': { service: 'keystone', kind: 'status', status: 503 },
  'Keystone answers without a token': { service: 'keystone', kind: 'status', status: 201, body: '{"token":{}}' },
};
const failures = Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, () => lab.addFault(fault)]));

await runLookupConformance(t, {
  scope: ownScope,
  running: [nodeOf(first), nodeOf(second)],
  missing: nodeWith('openstack:///b0000000-0000-4000-8000-999999999999'),
  malformed: nodeWith('openstack:///node-0'),
  failures: {
    ...failures,
    'no role that may read': async () => {
      const credential = (await lab.state()).applicationCredentials[labCredentialId];
      if (credential === undefined) throw new Error('the lab has changed');
      await lab.update({
        applicationCredentials: { [labCredentialId]: { ...credential, roles: ['member-of-nothing'] } },
      });
    },
    'the user is disabled': async () => {
      const user = (await lab.state()).users[labUserId];
      if (user === undefined) throw new Error('the lab has changed');
      await lab.update({ users: { [labUserId]: { ...user, enabled: false } } });
    },
    'a catalog without Nova': () => lab.update({ regions: { RegionOne: { compute: '', network: '' } } }),
    'Nova is too old': () => lab.update({ behaviour: { isOld: true } }),
  },
  open: async () => {
    await reset();
    await lab.update(fleet);
    return { instances: create({}), context: context() };
  },
});
