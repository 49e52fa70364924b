import type { PlantedFault } from './planted-fault.ts';

const deletion = ['test/ccm/node-controller/deletion.test.ts'];
const deletionLimits = ['test/ccm/node-controller/deletion-limits.test.ts'];
const initialise = ['test/ccm/node-controller/initialise.test.ts'];
const interruptions = ['test/ccm/node-controller/concurrent-changes.test.ts'];
const reports = ['test/ccm/node-controller/reports.test.ts'];
const schedule = ['test/ccm/node-controller/schedule.test.ts'];
const status = ['test/ccm/status.test.ts'];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'what changed while a Node was at work is not looked at when it is free',
    file: 'ccm/node-controller/changes.ts',
    find: 'if (!hasChanged || state.nodes',
    replace: 'if (hasChanged || state.nodes',
    tests: interruptions,
  },
  {
    name: 'a conflict of a taint is ignored',
    file: 'ccm/node-controller/write-taints.ts',
    find: 'const attempts = 5;',
    replace: 'const attempts = 1;',
    tests: interruptions,
  },
  {
    name: 'after a conflict the taint is written as it was decided before',
    file: 'ccm/node-controller/write-taints.ts',
    find: '[current, change] = [live, nextChange];',
    replace: '[current, change] = [live, decided];',
    tests: interruptions,
  },
  {
    name: 'a taint is written on a Node that was taken out of our hands',
    file: 'ccm/node-controller/write-taints.ts',
    find: 'live === undefined || !isSameNode(node, live)',
    replace: 'live === undefined',
    tests: interruptions,
  },
  {
    name: 'a taint that could not be written waits for the next sweep',
    file: 'ccm/node-controller/changes.ts',
    find: 'tracked.dueAtMs = Math.min(tracked.dueAtMs, state.schedule.afterFailure(tracked));',
    replace: '',
    tests: interruptions,
  },
  {
    name: 'a Node that was Ready while its deletion was reported is deleted',
    file: 'ccm/node-controller/reconcile.ts',
    find: 'tracked.record?.sightings === decision.record.sightings && mayDelete()',
    replace: 'mayDelete()',
    tests: interruptions,
  },
  {
    name: 'a deletion that was decided before its scope stopped deletions goes out',
    file: 'ccm/node-controller/reconcile.ts',
    find: 'decision.record.sightings && mayDelete()',
    replace: 'decision.record.sightings',
    tests: ['test/ccm/node-controller/confirmation.test.ts'],
  },
  {
    name: 'a report that fails brings void sightings back',
    file: 'ccm/node-controller/reconcile.ts',
    find: 'withoutReport(tracked.record ?? decision.record, previousRecord)',
    replace: 'withoutReport(decision.record, previousRecord)',
    tests: interruptions,
  },
  {
    name: 'a Node that was taken out of our hands meanwhile is repaired all the same',
    file: 'ccm/node-controller/reconcile.ts',
    find: 'if (!isStillOurs(tracked, node)) return lookUpAgainInMs(tracked);',
    replace: '',
    tests: interruptions,
  },
  {
    name: 'an answer about the instance of before is used for the Node of now',
    file: 'ccm/node-controller/reconcile.ts',
    find: 'if (!isStillOurs(tracked, nodeWhenAsked)) return lookUpAgainInMs(tracked);',
    replace: '',
    tests: interruptions,
  },
  {
    name: 'a deletion goes out although it could not be reported',
    file: 'ccm/node-controller/reconcile.ts',
    find: 'if (decision.report !== undefined) await writeReport(tracked, decision.report, dependencies);',
    replace:
      'if (decision.report !== undefined) void writeReport(tracked, decision.report, dependencies).catch(() => {});',
    tests: reports,
  },
  {
    name: 'what could not be told counts as told',
    file: 'ccm/node-controller/reconcile.ts',
    find: 'if (decision.report !== undefined) {',
    replace: 'if (decision.report === undefined) {',
    tests: reports,
  },
  {
    name: 'a live Node that is Ready is deleted',
    file: 'ccm/node-controller/kubernetes-cluster.ts',
    find: '!isSameNode(decidedOn, live) || isReady(live) ||',
    replace: '!isSameNode(decidedOn, live) ||',
    tests: ['test/ccm/node-controller/cluster.test.ts'],
  },
  {
    name: 'a write goes out after the lease has ended',
    file: 'ccm/node-controller/writes.ts',
    find: 'if (!parts.mayWrite())',
    replace: 'if (parts.limits.atOnce < 0)',
    tests: deletion,
  },
  {
    name: 'sightings outlive a lead',
    file: 'ccm/node-controller/controller.ts',
    find: 'const fresh = trackNode(node, dependencies.clouds);',
    replace: 'const fresh = nodes.get(uid) ?? trackNode(node, dependencies.clouds);',
    tests: deletion,
  },
  {
    name: 'a confirmation counts on any Node',
    file: 'ccm/lifecycle/scope.ts',
    find: 'unconfirmedNodes(scope).some((uid) => confirmed.get(uid) === token)',
    replace: '[...confirmed.values()].includes(token)',
    tests: deletionLimits,
  },
  {
    name: 'Nodes are deleted without canaries',
    file: 'ccm/node-controller/batches.ts',
    find: 'canaries: needsCanaries ? canaries.map(({ facts }) => facts) : [],',
    replace: 'canaries: [],',
    tests: deletion,
  },
  {
    name: 'the taint goes before the addresses',
    file: 'lib/node/reconcile-node.ts',
    find: 'const first = await write(node, addresses && addressesPatch(node, addresses), writer.patchStatus);',
    replace: 'const first = await write(node, undefined, writer.patchStatus);',
    tests: initialise,
  },
  {
    name: 'a new Node is not left to its agent',
    file: 'ccm/node-controller/schedule.ts',
    find: 'Math.max(gatherMs, headStartLeftMs(tracked, settings, clock))',
    replace: 'gatherMs',
    tests: initialise,
  },
  {
    name: 'a Node that a label gives to another cloud is asked for',
    file: 'ccm/node-controller/ownership.ts',
    find: 'label === undefined ? clouds : clouds.filter(({ name }) => name === label)',
    replace: 'clouds',
    tests: initialise,
  },
  {
    name: 'Retry-After is not waited for',
    file: 'ccm/node-controller/scope-rate-limiter.ts',
    find: 'failure.retryAfterMs ?? pauseMs',
    replace: 'pauseMs',
    tests: schedule,
  },
  {
    name: 'Ready Nodes are asked for each at its own moment',
    file: 'ccm/node-controller/schedule.ts',
    find: 'if (plannedAtMs > nowMs) return plannedAtMs;',
    replace: '',
    tests: schedule,
  },
  {
    name: 'a scope is asked as often as anybody likes',
    file: 'ccm/node-controller/batches.ts',
    find: 'for (const { scope } of cloudScopes) conditions.rateLimiterOf(scope.key).take(conditions.nowMs);',
    replace: '',
    tests: schedule,
  },
  {
    name: 'scopes are never forgotten',
    file: 'ccm/node-controller/scopes.ts',
    find: 'forgetUnused(nodes, nowMs);',
    replace: 'if (nowMs < 0) forgetUnused(nodes, nowMs);',
    tests: schedule,
  },
  {
    name: 'text of a Node makes lines of its own on /statusz',
    file: 'ccm/status.ts',
    find: '`${printable(line)}\\n`',
    replace: '`${line}\\n`',
    tests: status,
  },
];
