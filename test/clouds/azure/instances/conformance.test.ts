import t from 'tap';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { otherTenant } from '../../../lab/clouds/azure/state.ts';
import { labGroup, labSubscription, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { runLookupConformance } from '../../lookup-conformance.ts';
import { nodeOf, nodeWith, prodScope, startMachinesLab } from '../machines-lab.ts';

const { azure, instances, context, setMachines } = await startMachinesLab(t);
const { lab } = azure;
const [first] = virtualMachines({ count: 1, number: 1 }) as readonly [LabVirtualMachine];
const [second] = virtualMachines({ count: 1, number: 2, scaleSet: 'pool' }) as readonly [LabVirtualMachine];

const service = 'resource-manager';
const ownError = '{"error":{"code":"ResourceNotFound","message":"The Resource was not found."}}';
const faults: Readonly<Record<string, Fault>> = {
  throttled: { service, kind: 'throttle' },
  'no JSON': { service, kind: 'garbage' },
  'an empty body': { service, kind: 'empty' },
  'cut off': { service, kind: 'cut-off' },
  reset: { service, kind: 'reset' },
  '500': { service, kind: 'status', status: 500 },
  '200 with an error body': { service, kind: 'status', status: 200, body: ownError },
  '200 with another resource': { service, kind: 'status', status: 200, body: '{"id":"/subscriptions/1"}' },
  "a gateway's 404 in Azure's words": { service, kind: 'status', status: 404, body: ownError },
  "a proxy's page": { service, kind: 'status', status: 404, body: '<html>' },
  'no token': { service: 'imds', kind: 'status', status: 400 },
};

await runLookupConformance(t, {
  scope: prodScope,
  running: [nodeOf(first), nodeOf(second)],
  missing: nodeWith(`azure://${labGroup}/providers/Microsoft.Compute/virtualMachines/gone`),
  malformed: nodeWith(`azure://${labGroup}/providers/Microsoft.Compute/disks/d`),
  failures: {
    ...Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, () => lab.addFault(fault)])),
    'no permission': () => lab.update({ resourceManager: { readers: [] } }),
    'a token of another tenant': () =>
      lab.update({ resourceManager: { subscriptions: { [labSubscription]: { tenantId: otherTenant } } } }),
    'the subscription is not shown': () => lab.update({ resourceManager: { subscriptions: {} } }),
  },
  open: async () => {
    await lab.reset();
    await setMachines([first, second]);
    return { instances: instances(), context: context() };
  },
});
