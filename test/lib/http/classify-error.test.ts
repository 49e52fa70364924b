import t from 'tap';
import { classifyNetworkError } from '../../../lib/http/classify-error.ts';
import { NetworkError, networkFailure } from '../../../lib/http/network-error.ts';
import type { NetworkReason } from '../../../lib/http/network-error.ts';

const rows: readonly (readonly [code: string | undefined, reason: NetworkReason])[] = [
  ['ENOTFOUND', 'name-not-found'],
  ['EAI_AGAIN', 'name-not-found'],
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ENETUNREACH', 'unreachable'],
  ['EADDRNOTAVAIL', 'unreachable'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['HPE_INVALID_CONSTANT', 'not-http'],
  ['HPE_HEADER_OVERFLOW', 'not-http'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted'],
  ['CERT_HAS_EXPIRED', 'certificate-date'],
  ['CERT_NOT_YET_VALID', 'certificate-date'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls'],
  ['EPROTO', 'tls'],
  ['EBOGUS', 'other'],
  [undefined, 'other'],
];

for (const [code, reason] of rows) {
  await t.test(`${code ?? 'an error without a code'} means ${reason}`, (t) => {
    const cause = Object.assign(
      new Error('with https://user:word@proxy.example in it'),
      code !== undefined && { code },
    );
    const error = classifyNetworkError(cause);
    t.match(error, { reason, message: code ?? '' });
    t.equal(error.cause, reason === 'not-http' ? undefined : cause, 'what could not be read is not kept');
    t.notMatch(error.message, 'word', 'only the code is quoted');
    t.end();
  });
}

await t.test('of several addresses that were tried the first one speaks', (t) => {
  const errors = ['ENETUNREACH', 'ECONNREFUSED'].map((code) => Object.assign(new Error(code), { code }));
  t.equal(classifyNetworkError(new AggregateError(errors, 'all of them')).reason, 'unreachable');
  t.equal(classifyNetworkError(new AggregateError([], 'none')).reason, 'other');
  t.end();
});

await t.test('what is classified stays as it is, and anything can be', (t) => {
  const error = new NetworkError('cut-off', '');
  t.equal(classifyNetworkError(error), error);
  for (const odd of [undefined, null, 'text', { code: 'ECONNRESET' }, Object.assign(new Error('x'), { code: 7 })]) {
    t.equal(classifyNetworkError(odd).reason, 'other');
  }
  t.end();
});

const finals = new Set<NetworkReason>(['too-large', 'untrusted', 'certificate-date', 'certificate-name']);
const all: readonly NetworkReason[] = [
  'name-not-found',
  'refused',
  'unreachable',
  'connect-timeout',
  'timeout',
  'reset',
  'cut-off',
  'too-large',
  'not-http',
  'untrusted',
  'certificate-date',
  'certificate-name',
  'tls',
  'proxy',
  'other',
];

for (const reason of all) {
  await t.test(`${reason} becomes a failure that ${finals.has(reason) ? 'is final' : 'may pass'}`, (t) => {
    const error = new NetworkError(reason, 'ECODE');
    const failure = networkFailure('registry.example', error);
    t.equal(failure.kind, finals.has(reason) ? 'misconfigured' : 'unavailable');
    t.match(failure.message, /^registry\.example: .+ \(ECODE\)$/);
    t.match(failure.remedy, /^[a-z].+[^.]$/);
    t.equal(failure.cause, error);
    t.notMatch(networkFailure('registry.example', new NetworkError(reason, '')).message, '()');
    t.end();
  });
}
