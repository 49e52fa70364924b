import t from 'tap';
import { labToken } from '../../../lab/clouds/digitalocean/state.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { runLookupConformance } from '../../lookup-conformance.ts';
import { nodeOf, nodeWith, ownScope, startDigitaloceanLab } from '../digitalocean-lab.ts';

const { lab, instances, context, setDroplets } = await startDigitaloceanLab(t);

const errorBody = JSON.stringify({ id: 'server_error', message: 'Unexpected server-side error' });
const faults: Readonly<Record<string, Fault>> = {
  throttled: { service: 'api', kind: 'throttle' },
  garbage: { service: 'api', kind: 'garbage' },
  'an empty body': { service: 'api', kind: 'empty' },
  'half a body': { service: 'api', kind: 'cut-off' },
  'a TCP reset': { service: 'api', kind: 'reset' },
  'an error of the server': { service: 'api', kind: 'status', status: 500, body: errorBody },
  '200 with an error body': { service: 'api', kind: 'status', status: 200, body: errorBody },
  '200 with an empty object': { service: 'api', kind: 'status', status: 200, body: '{}' },
  '200 with an empty list': { service: 'api', kind: 'status', status: 200, body: '{"droplets":[],"meta":{"total":0}}' },
  'the 404 of a proxy': { service: 'api', kind: 'status', status: 404, body: '<html>Not Found</html>' },
  'the 404 of another API': { service: 'api', kind: 'status', status: 404, body: '{"id":"unknown"}' },
};
const failures = Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, () => lab.addFault(fault)]));

await runLookupConformance(t, {
  scope: ownScope,
  running: [nodeOf({ id: 1 }), nodeOf({ id: 2 })],
  missing: nodeWith('digitalocean://99'),
  malformed: nodeWith('digitalocean://nyc3/1'),
  failures: {
    ...failures,
    'a token that was revoked': () => lab.update({ tokens: { [labToken]: { team: 'lab', scopes: [] } } }),
  },
  open: async () => {
    await lab.reset();
    await setDroplets([{}, {}]);
    return { instances: instances(), context: context() };
  },
});
