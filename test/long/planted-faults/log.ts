import type { PlantedFault } from './planted-fault.ts';

const controllerLog = ['test/ccm/node-controller/log.test.ts'];
const election = ['test/ccm/leader-election/log.test.ts'];
const syncLoop = ['test/node-agent/node-sync/sync-loop.test.ts'];
const failureLog = ['test/lib/log/failure-log.test.ts'];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a deletion is not in the log',
    file: 'ccm/node-controller/execute-decision.ts',
    find: 'logDeletion(tracked, decision, log);',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'an initialisation by the controller is not in the log',
    file: 'ccm/node-controller/update-node.ts',
    find: 'logReconciled(tracked, wasNew, reconciled, dependencies.log);',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a taint is not in the log',
    file: 'ccm/node-controller/write-taints.ts',
    find: 'logTaints(tracked, change, reason, log);',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a trouble of a whole scope is in the log for each Node',
    file: 'ccm/node-controller/update-node.ts',
    find: 'if (!isScopeFailure) logNodeFailure(',
    replace: 'logNodeFailure(',
    tests: controllerLog,
  },
  {
    name: 'a dry run writes conditions',
    file: 'ccm/node-controller/cluster.ts',
    find: 'setCondition: skip',
    replace: 'setCondition: (cluster as Cluster).setCondition',
    tests: controllerLog,
  },
  {
    name: 'a dry run writes events',
    file: 'ccm/node-controller/cluster.ts',
    find: 'recordEvent: skip',
    replace: 'recordEvent: (cluster as Cluster).recordEvent',
    tests: controllerLog,
  },
  {
    name: 'a dry run counts events',
    file: 'ccm/node-controller/node-reports.ts',
    find: "if (written === 'written') metrics.countWrites('event', 1);",
    replace: "metrics.countWrites('event', 1);",
    tests: controllerLog,
  },
  {
    name: 'a dry run of the controller says a plan each time',
    file: 'ccm/node-controller/node-log.ts',
    find: 'if (loggedPlans.get(part) === text) return;',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a dry run forgets to say a deletion that comes again',
    file: 'ccm/node-controller/update-node.ts',
    find: "tracked.loggedPlans.delete('deletion');",
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a dry run of the agent writes',
    file: 'lib/node/dry-run-writer.ts',
    find: 'patchStatus: skip',
    replace: 'patchStatus: (arguments[0] as NodeWriter).patchStatus',
    tests: syncLoop,
  },
  {
    name: 'an agent says the same each minute',
    file: 'node-agent/node-sync/sync-log.ts',
    find: 'if (text !== lastLogged) write();',
    replace: 'write();',
    tests: syncLoop,
  },
  {
    name: 'a write of the agent is not in the log',
    file: 'node-agent/node-sync/sync-log.ts',
    find: 'if (changes.length > 0) log.standard(',
    replace: 'if (changes.length > 1_000) log.standard(',
    tests: syncLoop,
  },
  {
    name: 'a follower logs the leader at each try',
    file: 'ccm/leader-election.ts',
    find: 'if (holder !== state.loggedHolder) parts.log',
    replace: 'parts.log',
    tests: election,
  },
  {
    name: 'a lost Lease is not in the log',
    file: 'ccm/leader-election.ts',
    find: "if (isLost) log.standard('leaseLost', { identity });",
    replace: '',
    tests: election,
  },
  {
    name: 'a failure is said at each retry',
    file: 'lib/log/failure-log.ts',
    find: 'return loggedAtMs.has(text) || loggedAtMs.size >= maxTexts;',
    replace: 'return loggedAtMs.size >= maxTexts * 1_000;',
    tests: failureLog,
  },
  {
    name: 'the end of a failure is not said',
    file: 'lib/log/failure-log.ts',
    find: 'if (current.size > 0) logRecovery();',
    replace: '',
    tests: failureLog,
  },
];
