import t from 'tap';
import { failureReasonOf } from '../../lib/failure-reason.ts';
import { Failure } from '../../lib/failure.ts';
import { NetworkError, networkFailure } from '../../lib/http/network-error.ts';
import type { NetworkReason } from '../../lib/http/network-error.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { KubernetesError } from '../../lib/kubernetes/kubernetes-error.ts';
import { failureReasonValues } from '../../schemas/metrics/declaration.ts';

const remedy = 'none in a test';

function byNetwork(reason: NetworkReason): Failure {
  return networkFailure('the cloud', new NetworkError(reason, ''));
}

function byStatus(status: number): Failure {
  return statusFailure('the cloud', { status, headers: {}, body: new Uint8Array() }, 0);
}

const late = new DOMException('too late', 'TimeoutError');

const cases: readonly (readonly [string, unknown])[] = [
  ['timeout', byNetwork('connect-timeout')],
  ['timeout', byNetwork('timeout')],
  ['timeout', new Failure('unavailable', 'no answer in time', { remedy, cause: late })],
  ['network', byNetwork('refused')],
  ['network', byNetwork('name-not-found')],
  ['network', byNetwork('proxy')],
  ['tls', byNetwork('untrusted')],
  ['tls', byNetwork('certificate-date')],
  ['denied', byStatus(403)],
  ['throttled', byStatus(429)],
  ['unavailable', byStatus(500)],
  ['not-found', byStatus(404)],
  ['invalid-response', byStatus(204)],
  ['misconfigured', new Failure('misconfigured', 'no', { remedy })],
  ['denied', new KubernetesError('forbidden', 'no', { remedy })],
  ['network', new KubernetesError('unavailable', 'no', { remedy, cause: new NetworkError('reset', '') })],
  ['other', new KubernetesError('conflict', 'no', { remedy })],
  ['other', new TypeError('a mistake of ours')],
];

await t.test('every failure has one of the few reasons', (t) => {
  for (const [reason, error] of cases) t.equal(failureReasonOf(error), reason, String(error));
  t.strictSame([...new Set(cases.map(([reason]) => reason))].toSorted(), failureReasonValues.toSorted());
  t.end();
});
