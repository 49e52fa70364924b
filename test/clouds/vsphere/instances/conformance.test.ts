import t from 'tap';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { labVm, labVms } from '../../../lab/clouds/vsphere/state.ts';
import type { VcenterState } from '../../../lab/clouds/vsphere/state.ts';
import { runLookupConformance } from '../../lookup-conformance.ts';
import { labelsOf, nodeNamed, nodeOf, scopeA, startVcenterLab } from '../vcenter-lab.ts';

const { lab, instances, context, change } = await startVcenterLab(t);
const emptyEnvelope = '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body></Body></Envelope>';
const entities = '<!DOCTYPE a [<!ENTITY x "x">]><a>&x;</a>';

const faults: Readonly<Record<string, Fault>> = {
  throttled: { service: 'a', kind: 'throttle' },
  garbage: { service: 'a', kind: 'garbage' },
  'an empty body': { service: 'a', kind: 'empty' },
  'half a body': { service: 'a', kind: 'cut-off' },
  'a TCP reset': { service: 'a', kind: 'reset' },
  'an empty envelope': { service: 'a', kind: 'status', status: 200, body: emptyEnvelope },
  'XML that declares entities': { service: 'a', kind: 'status', status: 200, body: entities },
  'the 404 of a proxy': { service: 'a', kind: 'status', status: 404, body: '<html>Not Found</html>' },
  'the 500 of a proxy': { service: 'a', kind: 'status', status: 500, body: '<html>Oops</html>' },
  'an empty response of the method': {
    service: 'a',
    kind: 'status',
    status: 200,
    body: emptyEnvelope.replace('></Body>', '><RetrievePropertiesExResponse xmlns="urn:vim25"/></Body>'),
  },
};
const states: Readonly<Record<string, Partial<VcenterState>>> = {
  'the password is wrong': { password: 'another-one' },
  'no permission': { fault: 'NoPermission' },
  'every session ends at once': { fault: 'NotAuthenticated' },
  'vCenter has an error': { fault: 'SystemError' },
  'nothing is visible, as the role was taken away': { hidden: 'all', roles: [-5] },
};

await runLookupConformance(t, {
  scope: scopeA,
  running: [nodeOf(labVm(1)), nodeOf(labVm(2))],
  missing: nodeOf(labVm(99), labelsOf('a', 'vm-99')),
  malformed: nodeNamed('malformed', { providerId: 'vsphere://node-1' }),
  failures: Object.fromEntries([
    ...Object.entries(faults).map(([name, fault]) => [name, () => lab.addFault(fault)]),
    ...Object.entries(states).map(([name, state]) => [name, () => change('a', state)]),
  ]) as Readonly<Record<string, () => Promise<void>>>,
  open: async () => {
    await lab.reset();
    await change('a', { vms: labVms(2) });
    return { instances: instances(), context: context() };
  },
});
