import type { PlantedFault } from './planted-fault.ts';

const controllerLog = ['test/ccm/controller/log.test.ts'];
const election = ['test/ccm/leader-election/log.test.ts'];
const keeper = ['test/node-agent/keeper/keeper.test.ts'];
const trouble = ['test/lib/log/trouble-log.test.ts'];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a deletion is not in the log',
    file: 'ccm/controller/settle.ts',
    find: 'logDeletion(tracked, decision, log);',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'an initialisation by the controller is not in the log',
    file: 'ccm/controller/settle.ts',
    find: 'logMade(tracked, wasNew, made, dependencies.log);',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a taint is not in the log',
    file: 'ccm/controller/write-taints.ts',
    find: 'logTaints(tracked, change, reason, log);',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a trouble of a whole scope is in the log for each Node',
    file: 'ccm/controller/settle.ts',
    find: 'if (!isScopes) logTrouble(',
    replace: 'logTrouble(',
    tests: controllerLog,
  },
  {
    name: 'a dry run writes conditions',
    file: 'ccm/cluster/dry-run.ts',
    find: 'setCondition: skip',
    replace: 'setCondition: (cluster as Cluster).setCondition',
    tests: controllerLog,
  },
  {
    name: 'a dry run writes events',
    file: 'ccm/cluster/dry-run.ts',
    find: 'tell: skip',
    replace: 'tell: (cluster as Cluster).tell',
    tests: controllerLog,
  },
  {
    name: 'a dry run counts events',
    file: 'ccm/controller/settle.ts',
    find: "if (done === 'written') measures.wrote('event', 1);",
    replace: "measures.wrote('event', 1);",
    tests: controllerLog,
  },
  {
    name: 'a dry run of the controller says a plan each time',
    file: 'ccm/controller/node-log.ts',
    find: 'if (plans.get(part) === text) return;',
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a dry run forgets to say a deletion that comes again',
    file: 'ccm/controller/settle.ts',
    find: "tracked.plans.delete('deletion');",
    replace: '',
    tests: controllerLog,
  },
  {
    name: 'a dry run of the agent writes',
    file: 'lib/node/dry-run-writer.ts',
    find: 'patchStatus: skip',
    replace: 'patchStatus: (arguments[0] as NodeWriter).patchStatus',
    tests: keeper,
  },
  {
    name: 'an agent says the same each minute',
    file: 'node-agent/keeper/turn-log.ts',
    find: 'if (text !== said) say();',
    replace: 'say();',
    tests: keeper,
  },
  {
    name: 'a write of the agent is not in the log',
    file: 'node-agent/keeper/turn-log.ts',
    find: 'if (changes.length > 0) log.standard(',
    replace: 'if (changes.length > 1_000) log.standard(',
    tests: keeper,
  },
  {
    name: 'a follower says whom it follows at each try',
    file: 'ccm/leader-election.ts',
    find: 'if (holder !== state.followed) parts.log',
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
    file: 'lib/log/trouble-log.ts',
    find: 'return saidAtMs.has(text) || saidAtMs.size >= mostTexts;',
    replace: 'return saidAtMs.size >= mostTexts * 1_000;',
    tests: trouble,
  },
  {
    name: 'the end of a failure is not said',
    file: 'lib/log/trouble-log.ts',
    find: 'if (current.size > 0) works();',
    replace: '',
    tests: trouble,
  },
];
