import type { PlantedFault } from './planted-fault.ts';

const folder = 'clouds/azure/instances';
const tests = 'test/clouds/azure/instances';

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a machine that Azure lists is gone',
    file: `${folder}/by-id.ts`,
    find: 'if (await deps.currentLists.has(resource)) throw',
    replace: 'if (false) throw',
    tests: [`${tests}/wrong-deletions.test.ts`, `${tests}/look-up.test.ts`],
  },
  {
    name: 'a 404 of a gateway counts as one of the Resource Manager',
    file: `${folder}/resource-manager.ts`,
    find: "return headers['x-ms-correlation-request-id'] !== undefined",
    replace: 'return true',
    tests: [`${tests}/by-id.test.ts`],
  },
  {
    name: 'a 404 of a resource group counts as one of its machine',
    file: `${folder}/missing.ts`,
    find: 'return notFoundCodes.has(code)',
    replace: 'return true',
    tests: [`${tests}/by-id.test.ts`],
  },
  {
    name: 'ids of lists are compared with regard to case',
    file: `${folder}/current-lists.ts`,
    find: 'return parsed.data.id.toLowerCase()',
    replace: 'return parsed.data.id',
    tests: [`${tests}/wrong-deletions.test.ts`],
  },
  {
    name: 'a machine that may be gone is not looked up by id if a list shows it',
    file: `${folder}/look-up-machines.ts`,
    find: 'askedById.has(resourceKey(resource))',
    replace: 'askedById.has(instanceId ?? "")',
    tests: [`${tests}/lists.test.ts`],
  },
  {
    name: 'a list decides which machine has a name',
    file: `${folder}/look-up-machines.ts`,
    find: 'isSame && showsZone',
    replace: 'showsZone',
    tests: [`${tests}/lists.test.ts`],
  },
  {
    name: 'machines that may be gone are looked up before new ones',
    file: `${folder}/look-up-machines.ts`,
    find: 'await lookUpEach(others, concurrentMax);',
    replace: 'await lookUpEach(silent, concurrentMax); await lookUpEach(others, concurrentMax);',
    tests: [`${tests}/look-up.test.ts`],
  },
  {
    name: 'the token is sent to the host of a link',
    file: `${folder}/resource-list.ts`,
    find: 'next.origin !== first.origin || ',
    replace: '',
    tests: [`${tests}/resource-manager.test.ts`],
  },
  {
    name: 'the primary interface is the first one that Azure names',
    file: `${folder}/addresses.ts`,
    find: 'Number(b.isPrimary) - Number(a.isPrimary)',
    replace: '0',
    tests: ['test/clouds/azure/same-machine.test.ts'],
  },
  {
    name: 'the other byte order of a system UUID is another machine',
    file: 'ccm/lifecycle/reused-name.ts',
    find: ' || a === inOtherByteOrder(b)',
    replace: '',
    tests: [`${tests}/wrong-deletions.test.ts`],
  },
];
