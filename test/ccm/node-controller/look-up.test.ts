import t from 'tap';
import { lookUpInScope } from '../../../ccm/node-controller/look-up.ts';
import type { LookupRequest } from '../../../ccm/node-controller/look-up.ts';
import { Failure } from '../../../lib/failure.ts';
import { unusedContext } from '../../clouds/contexts.ts';

const denied = new Failure('denied', 'the keys are no good', { remedy: 'give others' });

function requestThatThrows(error: () => Error): LookupRequest {
  return {
    cloudScope: {
      cloud: {
        name: 'one',
        instances: {
          scopesOf: () => undefined,
          batchMax: 1,
          lookUp: async () => {
            throw error();
          },
          verifyAccess: async () => false,
        },
      },
      scope: { cloud: 'one', key: 'one/here' },
    },
    nodes: [{ uid: 'u', name: 'n', nodeIps: [], labels: {} }],
    canaries: [],
    readyUids: new Set(),
  };
}

const timedOut = AbortSignal.abort(new DOMException('too late', 'TimeoutError'));
const ended = AbortSignal.abort(new Error('leading is over'));

const cases: ReadonlyArray<readonly [name: string, error: Error, signal: AbortSignal | undefined, says: RegExp]> = [
  ['a failure is kept as it is', denied, undefined, /^the keys are no good$/],
  [
    'a cloud that is silent for too long',
    timedOut.reason as Error,
    timedOut,
    /^one gave no answer within the time allowed$/,
  ],
  ['a lead that is over', ended.reason as Error, ended, /^one was not waited for$/],
  [
    'anything else is a mistake of ours',
    new TypeError('x is undefined'),
    undefined,
    /^one: internal error \(TypeError\)$/,
  ],
];
for (const [name, error, signal, says] of cases) {
  await t.test(name, async (t) => {
    const context = { ...unusedContext, ...(signal && { signal }) };
    const { results: findings, failure } = await lookUpInScope(
      requestThatThrows(() => error),
      context,
    );
    t.match(failure?.message, says);
    t.match(findings.get('u'), { status: 'unknown', failure: { message: says } });
  });
}
