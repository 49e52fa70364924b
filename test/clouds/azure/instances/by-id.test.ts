import t from 'tap';
import type { LookupResult } from '../../../../clouds/cloud.ts';
import { Failure } from '../../../../lib/failure.ts';
import { virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { lookUpOne, nodeOf, nodeWith, startMachinesLab } from '../machines-lab.ts';

const machinesLab = await startMachinesLab(t);
const { azure, setMachines } = machinesLab;
const [machine, other] = virtualMachines({ count: 2, number: 1 }) as readonly [LabVirtualMachine, LabVirtualMachine];
const [scaled] = virtualMachines({ count: 1, number: 2, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
const own = { 'x-ms-correlation-request-id': '00000000-0000-4000-8000-000000000000' };
const inactive = (number: string): string =>
  `The provided instanceId ${number} is not an active Virtual Machine Scale Set VM instanceId.`;

/** No list has the machine, so the response for the machine alone decides. Sources: clouds/azure/instances/missing.ts */
const answers: readonly (readonly [
  what: string,
  response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly code?: string;
    readonly message?: string;
  },
  found: { readonly single: boolean; readonly scaled: boolean },
])[] = [
  ['404, not found', { status: 404, code: 'ResourceNotFound' }, { single: true, scaled: true }],
  ["404, the provider's words", { status: 404, code: 'NotFound' }, { single: true, scaled: true }],
  ['404, no scale set', { status: 404, code: 'ParentResourceNotFound' }, { single: true, scaled: true }],
  ['404, no group', { status: 404, code: 'ResourceGroupNotFound' }, { single: false, scaled: false }],
  ['404, no subscription', { status: 404, code: 'SubscriptionNotFound' }, { single: false, scaled: false }],
  ['404, another code', { status: 404, code: 'InvalidResourceType' }, { single: false, scaled: false }],
  ['404, no code', { status: 404 }, { single: false, scaled: false }],
  ["404, a gateway's", { status: 404, code: 'ResourceNotFound', headers: {} }, { single: false, scaled: false }],
  ['410', { status: 410, code: 'ResourceNotFound' }, { single: false, scaled: false }],
  ['400, not found', { status: 400, code: 'ResourceNotFound' }, { single: false, scaled: false }],
  [
    '400, no such number',
    { status: 400, code: 'InvalidParameter', message: inactive('0') },
    { single: false, scaled: true },
  ],
  [
    '400, another number',
    { status: 400, code: 'InvalidParameter', message: inactive('10') },
    { single: false, scaled: false },
  ],
  [
    '400, no number',
    { status: 400, code: 'InvalidParameter', message: 'instanceId must be a number.' },
    { single: false, scaled: false },
  ],
];
for (const [what, { status, headers = own, code, message = 'gone' }, found] of answers) {
  await t.test(`not found? ${what}`, async (t) => {
    const body = JSON.stringify(code === undefined ? {} : { error: { code, message } });
    for (const [asked, isFound] of [[machine, found.single] as const, [scaled, found.scaled] as const]) {
      const fault = { kind: 'status', status, headers, body } as const;
      await azure.lab.addFault({ service: 'resource-manager', pathPrefix: asked.id, ...fault });
      const lookup = await lookUpOne(machinesLab, nodeOf(asked)).catch((failure: unknown) => failure);
      if (isFound) t.match(lookup, { status: 'not-found', evidence: `${String(code)}: ${message}` });
      else t.ok(lookup instanceof Failure || (lookup as LookupResult).status === 'unknown');
    }
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
