import type { PlantedFault } from './planted-fault.ts';

const fairness = ['test/ccm/node-controller/fairness.test.ts'];
const schedule = ['test/ccm/node-controller/schedule.test.ts'];

/** In what is shared by the look-ups of a scope. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'each batch makes new nodes wait longer',
    file: 'ccm/node-controller/batches.ts',
    find: 'rateLimiter.startBatch(nowMs, hasNewNodes)',
    replace: 'rateLimiter.startBatch(nowMs, true)',
    tests: fairness,
  },
  {
    name: 'a Node is gone if the scopes that are open do not have it',
    file: 'ccm/node-controller/look-up.ts',
    find: '[...responses, ...closedScopes.map((closed) => notAsked(closed, members))]',
    replace: '[...responses]',
    tests: fairness,
  },
  {
    name: 'a Node that moves to another scope waits for the first one',
    file: 'ccm/node-controller/controller.ts',
    find: 'tracked.heldUntilMs = 0;',
    replace: '',
    tests: fairness,
  },
  {
    name: 'a failure to verify access takes the results away',
    file: 'ccm/node-controller/look-up.ts',
    find: 'await verifyAccess({ cloud, scope }, context)',
    replace: 'await cloud.instances.verifyAccess(scope, context)',
    tests: ['test/ccm/node-controller/look-up.test.ts'],
  },
  {
    name: 'further calls of a look-up wait for no token',
    file: 'ccm/node-controller/scope-rate-limiter.ts',
    find: 'limiter.take(clock.monotonicMs());',
    replace: '',
    tests: ['test/ccm/node-controller/scope-rate-limiter.test.ts'],
  },
  {
    name: 'each call makes new nodes wait longer',
    file: 'ccm/node-controller/scope-rate-limiter.ts',
    find: 'const take = (nowMs: number): void => {',
    replace: 'const take = (nowMs: number): void => {\n    lastNewNodesAtMs = nowMs;',
    tests: ['test/ccm/node-controller/scope-rate-limiter.test.ts'],
  },
  {
    name: 'the calls of a scope are not limited',
    file: 'ccm/node-controller/batches.ts',
    find: 'rateLimiter.startBatch(nowMs, hasNewNodes)',
    replace: 'rateLimiter.backoffMs(nowMs)',
    tests: schedule,
  },
  {
    name: 'Retry-After is not waited for',
    file: 'ccm/node-controller/scope-rate-limiter.ts',
    find: 'nowMs + Math.min(retryAfterMs ?? 0, maxRetryAfterMs)',
    replace: '0',
    tests: schedule,
  },
  {
    name: 'scopes are never forgotten',
    file: 'ccm/node-controller/scopes.ts',
    find: 'forgetUnused(nodes, nowMs);',
    replace: 'if (nowMs < 0) forgetUnused(nodes, nowMs);',
    tests: schedule,
  },
];
