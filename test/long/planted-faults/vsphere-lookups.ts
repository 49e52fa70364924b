import type { PlantedFault } from './planted-fault.ts';

const folder = 'clouds/vsphere';
const tests = 'test/clouds/vsphere/instances';
const lookUps = [`${tests}/look-up.test.ts`];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'the end of a session looks like an empty list',
    file: `${folder}/session.ts`,
    find: "schemaType === 'NotAuthenticated'",
    replace: "schemaType === 'never'",
    tests: [`${tests}/session.test.ts`],
  },
  {
    name: 'a machine is gone although the list has it',
    file: `${folder}/instances/absence.ts`,
    find: 'if (listed !== undefined) throw contradiction(listed, vcenter);',
    replace: '',
    tests: lookUps,
  },
  {
    name: 'a machine is gone although the account sees none',
    file: `${folder}/instances/absence.ts`,
    find: 'if (await canRead(vcenter, search)) return;',
    replace: 'return;',
    tests: lookUps,
  },
  {
    name: 'a machine is gone although its object exists',
    file: `${folder}/instances/absence.ts`,
    find: 'if (await search.isDeleted(',
    replace: 'if (vcenter !== undefined || await search.isDeleted(',
    tests: lookUps,
  },
  {
    name: 'of two machines with one BIOS UUID the first is taken',
    file: `${folder}/instances/one-of.ts`,
    find: 'if (others.length > 0) return',
    replace: 'if (others.length > 9) return',
    tests: lookUps,
  },
  {
    name: 'the other byte order counts without the system UUID',
    file: `${folder}/instances/by-id.ts`,
    find: 'bothForms(uuid).includes(systemUuid)',
    replace: 'bothForms(uuid).length > 0',
    tests: lookUps,
  },
  {
    name: 'the last known power state of a lost host counts',
    file: `${folder}/instances/lookup-result.ts`,
    find: "return vm.connectionState === 'connected' ? undefined : unreachable(vm);",
    replace: 'return undefined;',
    tests: lookUps,
  },
  {
    name: 'refused credentials are sent again',
    file: `${folder}/session.ts`,
    find: 'return isSame && clock.monotonicMs() < untilMs;',
    replace: 'return isSame && clock.monotonicMs() < 0;',
    tests: [`${tests}/session.test.ts`],
  },
  {
    name: 'a pinned certificate is not compared',
    file: 'lib/http/start-tls.ts',
    find: 'if (certificatePin === fingerprint || certificatePin === fingerprint256) return;',
    replace: 'if (certificatePin !== undefined) return;',
    tests: ['test/lib/http/create-http-tls.test.ts'],
  },
];
