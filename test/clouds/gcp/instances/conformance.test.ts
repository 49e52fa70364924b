import t from 'tap';
import { computeFleetOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../lab/clouds/gcp/compute-instance.ts';
import { nodeAccount } from '../../../lab/clouds/gcp/state.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { runLookupConformance } from '../../lookup-conformance.ts';
import { nodeOf, nodeWith, ownScope, startComputeLab } from '../compute-lab.ts';

const { lab, instances: create, context } = await startComputeLab(t);
const fleet = computeFleetOf({ count: 2, project: 'lab-project', zones: ['us-central1-a'], number: 0 });
const [first, second] = Object.values(fleet) as [ComputeInstance, ComputeInstance];

const errorBody = JSON.stringify({ error: { code: 503, message: 'Backend Error', status: 'UNAVAILABLE' } });
const faults: Readonly<Record<string, Fault>> = {
  throttled: { service: 'compute', kind: 'throttle' },
  garbage: { service: 'compute', kind: 'garbage' },
  'an empty body': { service: 'compute', kind: 'empty' },
  'half a body': { service: 'compute', kind: 'cut-off' },
  'a TCP reset': { service: 'compute', kind: 'reset' },
  '200 with an error body': { service: 'compute', kind: 'status', status: 200, body: errorBody },
  '200 with an empty object': { service: 'compute', kind: 'status', status: 200, body: '{}' },
  'the 404 of a proxy': { service: 'compute', kind: 'status', status: 404, body: '<html>Not Found</html>' },
  'no metadata server': { service: 'metadata', kind: 'status', status: 404 },
};
const failures = Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, () => lab.addFault(fault)]));

await runLookupConformance(t, {
  scope: ownScope,
  running: [nodeOf(first), nodeOf(second)],
  missing: nodeWith('gce://lab-project/us-central1-a/node-x'),
  malformed: nodeWith('gce://lab-project/us-central1-a'),
  failures: {
    ...failures,
    'no permission': async () => {
      const account = (await lab.state()).serviceAccounts[nodeAccount];
      if (account) await lab.update({ serviceAccounts: { [nodeAccount]: { ...account, permissions: [] } } });
    },
    'no such project': () => lab.update({ compute: { projects: [] } }),
    'the zone is unreachable': () => lab.update({ compute: { unreachableZones: ['us-central1-a'] } }),
  },
  open: async () => {
    await lab.reset();
    await lab.update({ computeInstances: fleet });
    return { instances: create({}), context: context() };
  },
});
