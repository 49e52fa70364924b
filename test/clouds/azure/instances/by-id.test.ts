import t from 'tap';
import { labGroup, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { lookUpOne, nodeOf, nodeWith, startMachinesLab } from '../machines-lab.ts';

const machinesLab = await startMachinesLab(t);
const { azure, setMachines } = machinesLab;
const [machine, other] = virtualMachines({ count: 2, number: 1 }) as readonly [LabVirtualMachine, LabVirtualMachine];
const compute = `${labGroup}/providers/Microsoft.Compute/virtualMachines/`;
const own = { 'x-ms-correlation-request-id': '00000000-0000-4000-8000-000000000000' };

/** The group answers in all of them, so the response for the machine alone decides. */
const answers: readonly (readonly [
  what: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: object,
  found: string,
])[] = [
  ["Azure's own 404", 404, own, { error: { code: 'ResourceNotFound', message: 'gone' } }, 'not-found'],
  ["a gateway's 404 in the words of Azure", 404, {}, { error: { code: 'ResourceNotFound', message: 'gone' } }, 'none'],
  ['a 404 of another code', 404, own, { error: { code: 'InvalidResourceType', message: 'no such type' } }, 'none'],
  ['a 404 without a code', 404, own, {}, 'none'],
  ['a 410', 410, own, { error: { code: 'ResourceNotFound', message: 'gone' } }, 'none'],
];
for (const [what, status, headers, body, found] of answers) {
  await t.test(`${what}: ${found === 'none' ? 'unknown' : found}`, async (t) => {
    const fault = { kind: 'status', status, headers, body: JSON.stringify(body) } as const;
    await azure.lab.addFault({ service: 'resource-manager', pathPrefix: compute, ...fault });
    const lookup = lookUpOne(machinesLab, nodeOf(machine));
    if (found === 'none') await t.rejects(lookup, { name: 'Failure' });
    else t.match(await lookup, { status: found });
  });
}

await t.test('the document of another machine is not believed', async (t) => {
  await setMachines([machine, other]);
  const properties = { vmId: other.vmId, instanceView: { statuses: [{ code: 'PowerState/running' }] } };
  const body = JSON.stringify({ id: other.id, location: 'westeurope', properties });
  const fault = { kind: 'status', status: 200, body } as const;
  await azure.lab.addFault({ service: 'resource-manager', pathPrefix: machine.id, ...fault });
  t.match(await lookUpOne(machinesLab, nodeOf(machine)), { status: 'unknown', failure: { kind: 'invalid-response' } });
});

await t.test('a providerID without a machine sends no request', async (t) => {
  t.match(await lookUpOne(machinesLab, nodeWith('azure:///x')), {
    status: 'unknown',
    failure: { kind: 'misconfigured' },
  });
  t.strictSame(await machinesLab.paths(), []);
});
