import type { PlantedFault } from './planted-fault.ts';

const folder = 'ccm/route-controller';
const tests = 'test/ccm/route-controller';

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'an unmarked route is removed on a guess',
    file: `${folder}/decide.ts`,
    find: 'return view.isFormer(cidr.text, route.nextHop)',
    replace: 'return true',
    tests: [`${tests}/decide.test.ts`, `${tests}/simulation.test.ts`],
  },
  {
    name: 'a route of somebody else is removed',
    file: `${folder}/decide.ts`,
    find: "route.owner !== 'other' &&",
    replace: '',
    tests: [`${tests}/decide.test.ts`],
  },
  {
    name: 'a route to a Node of another controller is removed',
    file: `${folder}/decide.ts`,
    find: '!otherCidrs.some((other) => overlaps(other, cidr))',
    replace: 'true',
    tests: [`${tests}/decide.test.ts`, `${tests}/simulation.test.ts`],
  },
  {
    name: 'a route outside --cluster-cidr is created',
    file: `${folder}/decide.ts`,
    find: 'if (!inCluster)',
    replace: 'if (false)',
    tests: [`${tests}/decide.test.ts`],
  },
  {
    name: 'routes are removed for Nodes that have changed since the decision',
    file: `${folder}/apply-decision.ts`,
    find: 'const stands = (): boolean => state.revision === revision;',
    replace: 'const stands = (): boolean => true;',
    tests: [`${tests}/controller.test.ts`],
  },
  {
    name: 'a process that does not lead changes routes',
    file: `${folder}/change-routes.ts`,
    find: 'if (!mayWrite()) throw',
    replace: 'if (false) throw',
    tests: [`${tests}/controller.test.ts`, `${tests}/simulation.test.ts`],
  },
  {
    name: 'a kubelet chooses where the packets for its pods go',
    file: `${folder}/routed-node.ts`,
    find: 'if (isUninitialized(node)) return',
    replace: 'if (false) return',
    tests: [`${tests}/controller.test.ts`, `${tests}/simulation.test.ts`],
  },
  {
    name: 'the route of a Node that another controller has now is removed with that Node',
    file: `${folder}/former-routes.ts`,
    find: 'if (!isOurs) current.delete(uid);',
    replace: '',
    tests: [`${tests}/controller.test.ts`],
  },
  {
    name: 'a route in EC2 is removed although it leads elsewhere by now',
    file: 'clouds/aws/routes/apply.ts',
    find: 'if (present?.nextHop !== route.nextHop) return undefined;',
    replace: '',
    tests: ['test/clouds/aws/routes/conformance.test.ts'],
  },
  {
    name: 'a table that several clusters own counts as owned by this one',
    file: 'clouds/aws/routes/list.ts',
    find: ' && clusterTags.length === 1',
    replace: '',
    tests: ['test/clouds/aws/routes/routes.test.ts'],
  },
  {
    name: 'removals that time out keep new Nodes waiting',
    file: `${folder}/apply-decision.ts`,
    find: "failure?.kind === 'unavailable' || failure?.kind === 'throttled')) return;",
    replace: "failure?.kind === 'invalid-response')) return;",
    tests: [`${tests}/failures.test.ts`],
  },
  {
    name: 'the condition of a network plugin is written over although its status is right',
    file: `${folder}/report-states.ts`,
    find: 'if (present?.status === status) return undefined;',
    replace: 'if (present?.status === status && present.reason === reason) return undefined;',
    tests: [`${tests}/controller.test.ts`],
  },
  {
    name: 'a route whose packets cannot pass counts as present',
    file: `${folder}/decide.ts`,
    find: 'own.incomplete && inCluster',
    replace: 'false',
    tests: [`${tests}/decide.test.ts`, `${tests}/simulation.test.ts`],
  },
  {
    name: 'an address pair goes with the first of two routes that need it',
    file: 'clouds/openstack/routes/apply.ts',
    find: 'all.filter((podCidr) => !needed.has(podCidr))',
    replace: 'all',
    tests: ['test/clouds/openstack/routes/routes.test.ts'],
  },
  {
    name: 'the address pairs of a port are overwritten',
    file: 'clouds/openstack/routes/address-pairs.ts',
    find: '...(revision !== undefined && { ifMatch: `revision_number=${revision}` }),',
    replace: '',
    tests: ['test/clouds/openstack/routes/routes.test.ts'],
  },
];
