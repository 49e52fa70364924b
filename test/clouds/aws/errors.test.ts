import { inspect } from 'node:util';
import t from 'tap';
import { awsFailure, isClockSkew } from '../../../clouds/aws/errors.ts';
import type { AwsCall } from '../../../clouds/aws/errors.ts';
import { Failure } from '../../../lib/failure.ts';
import type { FailureKind } from '../../../lib/failure.ts';
import { NetworkError } from '../../../lib/http/network-error.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');
const call: AwsCall = {
  target: 'api.ecr.us-east-1.amazonaws.com',
  action: 'ecr:GetAuthorizationToken',
  as: 'instance role web',
  remedyWhenDenied: 'allow it',
};

interface SdkErrorInit {
  readonly message?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As the SDK throws it. */
function sdkError(name: string, { message = 'said by AWS', status = 400, headers = {} }: SdkErrorInit): Error {
  return Object.assign(new Error(message), { name, $response: { statusCode: status, headers } });
}

const codes: Readonly<Record<string, readonly [kind: FailureKind, says: RegExp]>> = {
  ThrottlingException: ['throttled', /throttles ecr:GetAuthorizationToken/],
  Throttling: ['throttled', /throttles/],
  TooManyRequestsException: ['throttled', /throttles/],
  RequestLimitExceeded: ['throttled', /throttles/],
  SlowDown: ['throttled', /throttles/],
  AccessDenied: ['denied', /denied ecr:GetAuthorizationToken to instance role web/],
  AccessDeniedException: ['denied', /denied ecr:GetAuthorizationToken to instance role web/],
  UnauthorizedOperation: ['denied', /denied ecr:GetAuthorizationToken to instance role web/],
  AuthFailure: ['denied', /does not accept the keys: instance role web/],
  RequestExpired: ['denied', /have expired: instance role web/],
  Unavailable: ['unavailable', /has an error of its own/],
  ExpiredToken: ['denied', /have expired: instance role web/],
  ExpiredTokenException: ['denied', /have expired: instance role web/],
  InvalidIdentityToken: ['denied', /does not accept the token/],
  IDPRejectedClaim: ['denied', /does not accept the token/],
  IDPCommunicationError: ['unavailable', /could not reach the token's issuer/],
  UnrecognizedClientException: ['denied', /does not accept the keys: instance role web/],
  InvalidClientTokenId: ['denied', /does not accept the keys/],
  InvalidSignatureException: ['denied', /does not accept the keys/],
  SignatureDoesNotMatch: ['denied', /does not accept the keys/],
  RegionDisabledException: ['denied', /not enabled for this account/],
  OptInRequired: ['denied', /not enabled for this account/],
  ServerException: ['unavailable', /error of its own/],
  InternalFailure: ['unavailable', /error of its own/],
  ServiceUnavailable: ['unavailable', /error of its own/],
};

for (const [code, [kind, says]] of Object.entries(codes)) {
  await t.test(`${code} is ${kind}`, (t) => {
    const failure = awsFailure(sdkError(code, {}), call, wallMs);
    t.equal(failure.kind, kind);
    t.match(failure.message, says);
    t.match(failure.message, /^api\.ecr\.us-east-1\.amazonaws\.com /);
    t.ok(failure.remedy.length > 5);
    t.end();
  });
}

for (const { status, kind } of [
  { status: 400, kind: 'denied' },
  { status: 429, kind: 'throttled' },
  { status: 503, kind: 'unavailable' },
  { status: 302, kind: 'misconfigured' },
]) {
  await t.test(`an unknown code with HTTP ${status} is ${kind}, and named`, (t) => {
    const failure = awsFailure(sdkError('SomethingNewException', { status }), call, wallMs);
    t.equal(failure.kind, kind);
    t.match(failure.message, `(SomethingNewException) answered HTTP ${status}`);
    t.end();
  });
}

for (const name of ['x', 'a name with spaces', 'A'.repeat(61), '<html>', 'line\nbreak', 'Error', 'SyntaxError']) {
  await t.test(`a code that is none is not quoted: ${JSON.stringify(name.slice(0, 20))}`, (t) => {
    const failure = awsFailure(sdkError(name, { status: 500 }), call, wallMs);
    t.match(failure.message, /^api\.ecr\.us-east-1\.amazonaws\.com answered HTTP 500/);
    t.end();
  });
}

await t.test('a wait that was asked for is kept, in seconds or as a date', (t) => {
  const inSeconds = awsFailure(sdkError('ThrottlingException', { headers: { 'retry-after': '7' } }), call, wallMs);
  t.equal(inSeconds.retryAfterMs, 7_000);
  t.match(inSeconds.message, /, asking to wait 7 s$/);
  const headers = { 'retry-after': 'Wed, 18 Nov 2026 12:00:09 GMT' };
  t.equal(awsFailure(sdkError('Unknown', { status: 503, headers }), call, wallMs).retryAfterMs, 9_000);
  t.equal(awsFailure(sdkError('ThrottlingException', {}), call, wallMs).retryAfterMs, undefined);
  t.end();
});

const arn = 'arn:aws:sts::123456789012:assumed-role/web/i-0123456789abcdef0';
const denied: readonly (readonly [message: string, expected: string])[] = [
  [
    `User: ${arn} is not authorized to perform: ecr:GetAuthorizationToken on resource: * because no identity-based policy allows the ecr:GetAuthorizationToken action`,
    `to ${arn}, because no identity-based policy allows it`,
  ],
  [
    `User: ${arn} is not authorized to perform: sts:AssumeRole on resource: ${arn} with an explicit deny in a service control policy`,
    `to ${arn}, by an explicit deny in a service control policy`,
  ],
  [
    `User: ${arn} is not authorized to perform: ecr:GetAuthorizationToken on resource: * with an explicit deny in an identity-based policy`,
    `to ${arn}, by an explicit deny in an identity-based policy`,
  ],
  [`User: ${arn} is not authorized to perform: x with an explicit deny`, `to ${arn}`],
  [`User: ${arn} is not authorized because no ${'long-'.repeat(40)} allows x`, `to ${arn}`],
  ['Not authorized to perform sts:AssumeRoleWithWebIdentity', 'to instance role web'],
  ['', 'to instance role web'],
  ['User: someone is not authorized', 'to instance role web'],
  [`User: ${arn}\n${arn} is not authorized`, 'to instance role web'],
  [`User: arn:aws:${'x'.repeat(400)} is not authorized`, 'to instance role web'],
];

for (const [message, expected] of denied) {
  await t.test(`who was denied, and why, is read from ${JSON.stringify(message.slice(0, 60))}`, (t) => {
    const failure = awsFailure(sdkError('AccessDeniedException', { message }), call, wallMs);
    t.equal(failure.message, `${call.target} denied ${call.action} ${expected}`);
    t.equal(failure.remedy, 'allow it');
    t.end();
  });
}

await t.test('other texts of AWS are not quoted: they can echo the signed request', (t) => {
  const message = 'The Canonical String should have been x-amz-security-token:abcdefgh';
  for (const code of [...Object.keys(codes), 'SomethingNewException']) {
    const failure = awsFailure(sdkError(code, { message }), call, wallMs);
    t.notMatch(`${failure.message} ${failure.remedy}`, /Canonical|abcdefgh/, code);
  }
  t.end();
});

await t.test('a failure is unchanged, and a network error has the target and the reason', (t) => {
  const failure = new Failure('misconfigured', 'x', { remedy: 'y' });
  t.equal(awsFailure(failure, call, wallMs), failure);
  const refused = awsFailure(new NetworkError('refused', 'ECONNREFUSED'), call, wallMs);
  t.match(refused, { kind: 'unavailable', message: /^api\.ecr\.us-east-1\.amazonaws\.com: .*\(ECONNREFUSED\)$/ });
  t.end();
});

for (const odd of [
  undefined,
  null,
  'text',
  {},
  new Error('parse'),
  sdkError('Odd', { status: 200 }),
  new SyntaxError('x'),
]) {
  await t.test(
    `what cannot be read is an invalid response: ${inspect(odd, { breakLength: Number.POSITIVE_INFINITY }).slice(0, 30)}`,
    (t) => {
      t.match(awsFailure(odd, call, wallMs), { kind: 'invalid-response', message: /not its format$/ });
      t.end();
    },
  );
}

const skews: readonly (readonly [code: string, message: string, skew: boolean])[] = [
  ['RequestTimeTooSkewed', '', true],
  ['RequestExpired', '', true],
  ['RequestInTheFuture', '', true],
  ['InvalidSignatureException', 'Signature expired: 20261118T100000Z is now earlier than 20261118T114500Z', true],
  ['InvalidSignatureException', 'Signature not yet current: 20261118T130000Z is still later than …', true],
  ['SignatureDoesNotMatch', 'Signature expired: 20261118T100000Z is now earlier than 20261118T114500Z', true],
  ['SignatureDoesNotMatch', 'The request signature we calculated does not match', false],
  ['InvalidSignatureException', 'The Signature expired', false],
  ['ExpiredTokenException', 'Signature expired: x', false],
  ['AccessDenied', 'Signature expired: x', false],
];

for (const [code, message, skew] of skews) {
  await t.test(`${code} "${message.slice(0, 24)}" is ${skew ? 'about' : 'not about'} the clock`, (t) => {
    t.equal(isClockSkew(sdkError(code, { message })), skew);
    t.end();
  });
}

await t.test('what is no error is not about the clock', (t) => {
  t.equal(isClockSkew({ name: 'RequestExpired' }), false);
  t.equal(isClockSkew(undefined), false);
  t.end();
});
