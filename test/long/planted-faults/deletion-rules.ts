import type { PlantedFault } from './planted-fault.ts';

const observe = ['test/ccm/lifecycle/observe.test.ts'];
const exploration = ['test/ccm/lifecycle/exploration.test.ts'];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a Ready Node is deleted',
    file: 'ccm/lifecycle/rules.ts',
    find: 'holds: ({ observation }) => !observation.ready,',
    replace: 'holds: () => true,',
    tests: observe,
  },
  {
    name: 'a look-up that finds no Ready node is trusted if access is verified',
    file: 'ccm/lifecycle/canary.ts',
    find: 'asked > 0 ? found > 0 : accessVerified === true',
    replace: 'found > 0 || accessVerified === true',
    tests: exploration,
  },
  {
    name: 'one sighting fewer is enough',
    file: 'ccm/lifecycle/rules.ts',
    find: 'countOf(input) >= requiredEvidence(input.status, input.settings).sightings',
    replace: 'countOf(input) >= requiredEvidence(input.status, input.settings).sightings - 1',
    tests: exploration,
  },
  {
    name: 'the cloud need not say for long enough that an instance is gone',
    file: 'ccm/lifecycle/rules.ts',
    find: 'spanMsOf(input) >= requiredEvidence(input.status, input.settings).spanMs',
    replace: 'spanMsOf(input) >= 0',
    tests: exploration,
  },
  {
    name: 'a young Node that is not found is deleted',
    file: 'ccm/lifecycle/rules.ts',
    find: 'observation.ageMs > settings.notFoundMinAgeMs',
    replace: 'observation.ageMs > 0',
    tests: observe,
  },
  {
    name: 'the circuit breaker does not stop deletions',
    file: 'ccm/lifecycle/permission.ts',
    find: 'if (!scope.open)',
    replace: 'if (scope.open || !scope.open)',
    tests: ['test/ccm/lifecycle/scope.test.ts'],
  },
  {
    name: 'terminated instances are deleted at any pace',
    file: 'ccm/lifecycle/permission.ts',
    find: 'others.length + 1 <= limit',
    replace: 'limit > 0',
    tests: ['test/ccm/lifecycle/scope.test.ts'],
  },
  {
    name: 'an answer to a question from before the last sign of life counts',
    file: 'ccm/lifecycle/rules.ts',
    find: 'lookup.askedAtMs >= record.silentSinceMs && lookup.askedAtMs <= nowMs',
    replace: 'lookup.askedAtMs <= nowMs',
    tests: exploration,
  },
];
