import t from 'tap';
import { resolveReusedName } from '../../../ccm/lifecycle/reused-name.ts';
import type { InstanceIdentity, MachineIds } from '../../../ccm/lifecycle/reused-name.ts';
import type { LookupResult } from '../../../clouds/cloud.ts';
import { notFound, unknown } from './harness.ts';

const before: MachineIds = { systemUuid: 'uuid-1', bootId: 'boot-1' };
const known: InstanceIdentity = { instanceId: '1', machine: before, lastMachine: before, adoptsIfReady: true };
const restarted: InstanceIdentity = { instanceId: '1', machine: before, adoptsIfReady: false };

function found(instanceId: string | undefined, by: 'id' | 'list' = 'id'): LookupResult {
  const instance = { providerId: 'cloud:///name', addresses: [], labels: {} };
  return { status: 'running', by, instance: { ...instance, ...(instanceId !== undefined && { instanceId }) } };
}

const replaced = { status: 'terminated', evidence: 'replaced by 2' };

const cases: ReadonlyArray<
  readonly [name: string, result: LookupResult, identity: InstanceIdentity, expected: object | 'as it is']
> = [
  ['the same id', found('1'), known, 'as it is'],
  ['a cloud without immutable ids', found(undefined), known, 'as it is'],
  ['a Node without an id yet', found('2'), { machine: before, adoptsIfReady: false }, 'as it is'],
  ['not found', notFound, known, 'as it is'],
  ['unknown', unknown, known, 'as it is'],
  ['another id, the machine as before', found('2'), known, replaced],
  ['another id, nothing known of the machine before', found('2'), restarted, { status: 'unknown' }],
  ['the same, and the Node is Ready', found('2'), { ...restarted, adoptsIfReady: true }, 'as it is'],
  ['the same, and the Node has the UUID of before', found('2'), { ...restarted, instanceId: 'UUID-1' }, replaced],
  [
    'another id, nothing known of the machine now',
    found('2'),
    { ...known, machine: {}, adoptsIfReady: false },
    { status: 'unknown' },
  ],
  [
    'another id, the same system UUID, and no boot ID',
    found('2'),
    { ...known, machine: { systemUuid: 'uuid-1' }, adoptsIfReady: false },
    { status: 'unknown' },
  ],
  ['another id in a list only', found('2', 'list'), known, { status: 'unknown' }],
  ['another system UUID', found('2'), { ...known, machine: { ...before, systemUuid: 'uuid-2' } }, 'as it is'],
  ['another boot ID', found('2'), { ...known, machine: { ...before, bootId: 'boot-2' } }, 'as it is'],
  ['the id is the system UUID', found('UUID-2'), { ...restarted, machine: { systemUuid: 'uuid-2' } }, 'as it is'],
];
// As in https://github.com/Azure/WALinuxAgent/issues/830.
const vmId = 'd0df4c54-4ecb-4a4b-9954-5bdf3ed5c3b8';
const swapped = '544CDFD0-CB4E-4B4A-9954-5BDF3ED5C3B8';
const byteOrders: typeof cases = [
  ['the new id in the other byte order', found(vmId), { ...restarted, machine: { systemUuid: swapped } }, 'as it is'],
  [
    'the old id in the other byte order',
    found('2'),
    { ...restarted, instanceId: vmId, machine: { systemUuid: swapped } },
    replaced,
  ],
  [
    'an id that differs in its last part alone',
    found(vmId.replace(/.$/, '9')),
    { ...restarted, machine: { systemUuid: swapped } },
    { status: 'unknown' },
  ],
];
for (const [name, result, identity, expected] of [...cases, ...byteOrders]) {
  await t.test(name, async (t) => {
    const resolved = resolveReusedName(result, identity);
    if (expected === 'as it is') t.equal(resolved, result);
    else t.match(resolved, expected);
  });
}
