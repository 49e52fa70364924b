import type { PlantedFault } from './planted-fault.ts';

const folder = 'clouds/gcp/instances';
const tests = 'test/clouds/gcp/instances';
const wrongDeletions = [`${tests}/wrong-deletions.test.ts`];
const lookUps = [`${tests}/look-up.test.ts`];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'the 404 of a project counts as one of its instance',
    file: `${folder}/by-id.ts`,
    find: 'if (resource !== `projects/${project}/${path}`) throw failure;',
    replace: '',
    tests: lookUps,
  },
  {
    name: 'an instance that Google lists is gone',
    file: `${folder}/by-place.ts`,
    find: 'if (list.instances.has(placeKey(place))) return contradiction(place);',
    replace: '',
    tests: [...wrongDeletions, ...lookUps],
  },
  {
    name: 'an instance is gone although its zone could not be listed',
    file: `${folder}/by-place.ts`,
    find: 'return isUnread(list, place) ? unreadZone(place) : undefined;',
    replace: 'return undefined;',
    tests: wrongDeletions,
  },
  {
    name: 'a warning for the whole list is ignored',
    file: `${folder}/parse.ts`,
    find: "if (isPartial(warning) && !isNamed) return 'all';",
    replace: '',
    tests: lookUps,
  },
  {
    name: 'an instance is gone and no Ready node is asked for',
    file: `${folder}/look-up.ts`,
    find: 'return isAnyGone ? ',
    replace: 'return isAnyGone && verify.length === 0 ? ',
    tests: [`${tests}/conformance.test.ts`],
  },
  {
    name: 'a list decides which instance has a name',
    file: `${folder}/by-place.ts`,
    find: 'known.delete(placeKey(place));',
    replace: '',
    tests: lookUps,
  },
  {
    name: 'a node of another project gets the instance of the same name',
    file: `${folder}/look-up.ts`,
    find: ' || parsed.project !== project) return [];',
    replace: ') return [];',
    tests: [`${tests}/project-session.test.ts`],
  },
  {
    name: 'a response about another instance is believed',
    file: `${folder}/by-id.ts`,
    find: 'instance?.zone === zone && instance.name === name',
    replace: 'instance !== undefined',
    tests: lookUps,
  },
  {
    name: 'a node is found by its name although another zone may have the name',
    file: `${folder}/by-name.ts`,
    find: ' || list.unread.size > 0',
    replace: '',
    tests: lookUps,
  },
  {
    name: 'a stopped instance runs',
    file: `${folder}/lookup-result.ts`,
    find: 'TERMINATED: false',
    replace: 'TERMINATED: true',
    tests: lookUps,
  },
  {
    name: 'requests go on after a throttled one',
    file: `${folder}/by-id.ts`,
    find: "if (error.kind === 'throttled' || context.signal.aborted)",
    replace: 'if (context.signal.aborted)',
    tests: lookUps,
  },
  {
    name: 'more nodes are looked up at once than there is time for',
    file: `${folder}/index.ts`,
    find: 'const batchMax = 100;',
    replace: 'const batchMax = 200;',
    tests: [`${tests}/time.test.ts`],
  },
  {
    name: 'a list is resumed after a response that is no list',
    file: 'lib/list-cache.ts',
    find: 'if (isTemporary(error)) partial = reading;',
    replace: 'partial = reading;',
    tests: lookUps,
  },
  {
    name: 'a refused token is used again',
    file: `${folder}/project-session.ts`,
    find: 'if (response.status === 401) tokens.invalidate();',
    replace: '',
    tests: [`${tests}/project-session.test.ts`],
  },
  {
    name: 'the controller leaves out an alias address that the agent writes',
    file: `${folder}/parse.ts`,
    find: 'aliasRanges: present(aliasIpRanges.map(({ ipCidrRange }) => ipCidrRange)),',
    replace: 'aliasRanges: [],',
    tests: ['test/clouds/gcp/metadata/same-as-api.test.ts'],
  },
];
