import type { PlantedFault } from './planted-fault.ts';

const folder = 'node-agent/interruption';
const tests = 'test/node-agent/interruption';
const simulation = [`${tests}/simulation.test.ts`];
const leftMarks = [`${tests}/left-marks.test.ts`];
const drainNode = [`${tests}/drain/drain-node.test.ts`];
const planDrain = [`${tests}/drain/plan-drain.test.ts`];
const replayOf = (cloud: string): readonly string[] => [`${tests}/replay/${cloud}.test.ts`];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a drain goes on after its reason is gone, as long as a request about the Node hangs',
    file: `${folder}/interruption-loop.ts`,
    find: "if (decision.drain === undefined) runner.stop(state.written, 'the notice is over or withdrawn');",
    replace: '',
    tests: leftMarks,
  },
  {
    name: 'an event far away drains at once',
    file: `${folder}/decide.ts`,
    find: "const early = action === 'drain' ? 'taint' : action;",
    replace: 'const early = action;',
    tests: [...simulation, `${tests}/decide.test.ts`, ...replayOf('aws')],
  },
  {
    name: 'a source that cannot be read withdraws its notices',
    file: `${folder}/merge-notices.ts`,
    find: 'unreadSources.has(source) && !listed.has(id)',
    replace: 'unreadSources.has(source) && listed.has(id)',
    tests: [...simulation, `${tests}/poll-loop.test.ts`],
  },
  {
    name: 'the time of an event is lost when it starts',
    file: `${folder}/merge-notices.ts`,
    find: 'if (notice.atMs !== undefined || known.atMs === undefined)',
    replace: 'if (notice.id !== known.source)',
    tests: replayOf('azure'),
  },
  {
    name: 'an agent that has just started evicts for a notice that was withdrawn meanwhile',
    file: `${folder}/take-action.ts`,
    find: 'const firstPollMs = 5_000;',
    replace: 'const firstPollMs = 0;',
    tests: leftMarks,
  },
  {
    name: 'an agent evicts after a reboot for what was announced before',
    file: `${folder}/decide.ts`,
    find: 'notice.isUnconfirmed !== true',
    replace: "notice.id !== ''",
    tests: leftMarks,
  },
  {
    name: 'a restarted agent does not know the notices',
    file: `${folder}/loop-state.ts`,
    find: 'const known = [...restored, ...others];',
    replace: 'const known = others;',
    tests: [`${tests}/restarts.test.ts`, ...leftMarks],
  },
  {
    name: 'the cordon of a person is removed',
    file: `${folder}/plan-marks.ts`,
    find: 'if (!hasOurCordon || !isCordoned)',
    replace: 'if (!isCordoned)',
    tests: [...simulation, `${tests}/plan-marks.test.ts`],
  },
  {
    name: 'pods go before the Node is cordoned',
    file: `${folder}/take-action.ts`,
    find: '  const marked = await mark(',
    replace: '  runner.follow(node, signal);\n  const marked = await mark(',
    tests: [`${tests}/interruption-loop.test.ts`],
  },
  {
    name: 'somebody who removes the marks all the time causes writes all the time',
    file: `${folder}/take-action.ts`,
    find: 'restores < quickRestores ? 0',
    replace: 'restores >= 0 ? 0',
    tests: [`${tests}/interruption-loop.test.ts`],
  },
  {
    name: 'a clock that is set moves the deadlines',
    file: `${folder}/loop-state.ts`,
    find: 'if (Math.abs(stepMs) < shortestStepMs) return false;',
    replace: 'if (Math.abs(stepMs) >= 0) return false;',
    tests: leftMarks,
  },
  {
    name: 'a pod behind a budget gets no grace before the machine goes',
    file: `${folder}/drain/plan-drain.ts`,
    find: 'endAtMs - graceSeconds * 1_000',
    replace: 'endAtMs',
    tests: [...planDrain, ...replayOf('aws')],
  },
  {
    name: 'a pod gets more grace than there is time',
    file: `${folder}/drain/plan-drain.ts`,
    find: 'graceSeconds <= leftSeconds ? {} :',
    replace: 'graceSeconds >= 0 ? {} :',
    tests: [...simulation, ...planDrain],
  },
  {
    name: 'pods with a higher order wait for the others without end',
    file: `${folder}/drain/plan-drain.ts`,
    find: 'if (!isForced && pod.order !== firstOrder)',
    replace: 'if (pod.order !== firstOrder)',
    tests: planDrain,
  },
  {
    name: 'pods whose requests hang keep the others waiting',
    file: `${folder}/drain/plan-drain.ts`,
    find: 'return attempts.get(pod.metadata.uid)?.retryAtMs ?? 0;',
    replace: 'return pod.order;',
    tests: drainNode,
  },
  {
    name: 'a pod that cannot be evicted is not deleted in time',
    file: `${folder}/drain/drain-node.ts`,
    find: "wasRefused = step.how === 'evict';",
    replace: 'wasRefused = false;',
    tests: simulation,
  },
  {
    name: 'pods that tolerate the cordon are evicted again and again',
    file: `${folder}/drain/drain-node.ts`,
    find: 'return !firstUids.has(uid) &&',
    replace: "return uid === '' &&",
    tests: drainNode,
  },
  {
    name: 'a pod that the scheduler binds just after the cordon stays',
    file: `${folder}/drain/drain-node.ts`,
    find: 'const lateBindingMs = 5_000;',
    replace: 'const lateBindingMs = 0;',
    tests: drainNode,
  },
  {
    name: 'an event of several machines is approved',
    file: `${folder}/drain/drain-runner.ts`,
    find: "!onlyThisInstance || state !== 'announced'",
    replace: "state !== 'announced'",
    tests: replayOf('azure'),
  },
  {
    name: 'reports pile up',
    file: `${folder}/report-queue.ts`,
    find: 'waiting.length > maxWaiting ?',
    replace: 'waiting.length < 0 ?',
    tests: [`${tests}/report-queue.test.ts`],
  },
  {
    name: 'an HTML page withdraws a notice of Auto Scaling',
    file: 'clouds/aws/notices/parse.ts',
    find: "if (!lifecycleState.test(text)) throw invalid('Auto Scaling lifecycle state');",
    replace: '',
    tests: [...replayOf('aws'), 'test/clouds/aws/notices/parse.test.ts'],
  },
  {
    name: 'an event of another machine counts',
    file: 'clouds/azure/notices/parse.ts',
    find: 'notices: readable.filter(isOwn).map',
    replace: 'notices: readable.filter((event) => isOwn(event) || event.EventId).map',
    tests: [...replayOf('azure'), 'test/clouds/azure/notices/poll.test.ts'],
  },
  {
    name: 'an older document withdraws an event',
    file: 'clouds/azure/notices/poll.ts',
    find: 'const problem = isStale ? staleEvents() : failure;',
    replace: 'const problem = failure;',
    tests: [...replayOf('azure'), 'test/clouds/azure/notices/poll.test.ts'],
  },
  {
    name: 'a key that fails hides a preemption behind requests that are held',
    file: 'clouds/gcp/notices/poll.ts',
    find: 'noticeKeys.every(({ source }) => known.has(source))',
    replace: 'noticeKeys.some(({ source }) => known.has(source))',
    tests: ['test/clouds/gcp/notices/poll.test.ts'],
  },
  {
    name: 'a change of one key waits for the requests of the others',
    file: 'clouds/gcp/notices/poll.ts',
    find: "ending.abort(new Error('there is news'));",
    replace: 'ending.signal.throwIfAborted();',
    tests: ['test/clouds/gcp/notices/poll.test.ts'],
  },
];
