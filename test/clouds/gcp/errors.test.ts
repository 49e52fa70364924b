import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { googleFailure, missingResource } from '../../../clouds/gcp/errors.ts';
import type { GcpCall } from '../../../clouds/gcp/errors.ts';
import type { Failure } from '../../../lib/failure.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { recorded } from './recorded.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');
const call: GcpCall = {
  target: 'sts.googleapis.com',
  action: 'the token exchange',
  as: "the token of the pod's service account",
  remedyWhenDenied: 'do what helps',
};

const fromRecords: Readonly<Record<string, object>> = {
  'compute-not-found': { kind: 'misconfigured', message: /knows no such/ },
  'compute-rate-limit': { kind: 'throttled', message: /^sts\.googleapis\.com throttles the token exchange$/ },
  'iam-permission-denied': {
    kind: 'denied',
    message: /^sts\.googleapis\.com denied iam\.serviceAccounts\.getAccessToken to the token of the pod's/,
    remedy: 'do what helps',
  },
  'iam-permission-denied-bare': { kind: 'denied', message: /denied the token exchange to/, remedy: 'do what helps' },
  'iam-service-disabled': {
    kind: 'misconfigured',
    message: /^iam\.googleapis\.com is not enabled/,
    remedy: /gcloud services enable iam\.googleapis\.com$/,
  },
  'sts-invalid-target': { kind: 'misconfigured', message: /no such workload identity pool or provider/ },
  'sts-invalid-audience': { kind: 'misconfigured', message: /name of the provider/, remedy: /NUMBER/ },
  'sts-attribute-condition': { kind: 'denied', message: /attribute condition does not hold/, remedy: /condition/ },
  'oauth2-bad-time': { kind: 'denied', message: /for its time$/, remedy: /clock/ },
  'oauth2-bad-signature': { kind: 'denied', message: /unknown, disabled or deleted/, remedy: 'do what helps' },
};

for (const [name, expected] of Object.entries(fromRecords)) {
  const { source, status, body } = recorded(name);
  await t.test(`${name}, as seen at ${source}`, (t) => {
    t.match(failureOf(status, body), expected);
    t.end();
  });
}

await t.test('every recorded answer of an API is looked at here', (t) => {
  const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'gcp');
  const names = readdirSync(folder).map((file) => file.replace('.json', ''));
  t.strictSame(
    names.filter((name) => !name.startsWith('gke-metadata')).toSorted(),
    Object.keys(fromRecords).toSorted(),
  );
  t.end();
});

type Case = readonly [status: number, body: unknown, kind: string, says: RegExp];

const cases: readonly Case[] = [
  [
    400,
    oauth('invalid_grant', 'The audience in ID Token [x] does not match the expected audience y'),
    'denied',
    /audience/,
  ],
  [400, oauth('invalid_grant', 'The issuer in ID Token x does not match the expected ones: y'), 'denied', /issuer of/],
  [400, oauth('invalid_grant', 'ID Token issued at 1790000000 is stale to sign-in.'), 'denied', /for its time/],
  [400, oauth('invalid_grant', "Error connecting to the given credential's issuer."), 'unavailable', /could not reach/],
  [400, oauth('invalid_grant', 'Invalid grant: account not found'), 'denied', /unknown, disabled or deleted/],
  [400, oauth('invalid_grant', 'Token has been expired or revoked.'), 'denied', /does not accept the token/],
  [400, oauth('invalid_grant', undefined), 'denied', /does not accept the token/],
  [401, oauth('invalid_client', 'x'), 'denied', /does not accept/],
  [400, oauth('invalid_scope', 'x'), 'misconfigured', /does not understand .*\(invalid_scope\)/],
  [429, oauth('rate_limit_exceeded', 'x'), 'throttled', /throttles the token exchange/],
  [503, oauth('temporarily_unavailable', 'x'), 'unavailable', /error of its own/],
  [429, api('RESOURCE_EXHAUSTED', 'x'), 'throttled', /throttles/],
  [401, api('UNAUTHENTICATED', 'x'), 'denied', /does not accept the token/],
  [404, api('NOT_FOUND', 'x'), 'misconfigured', /no such service account/],
  [400, api('INVALID_ARGUMENT', 'x'), 'misconfigured', /INVALID_ARGUMENT/],
  [500, api('INTERNAL', 'x'), 'unavailable', /error of its own/],
  [403, api('PERMISSION_DENIED', 'x', { reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }), 'denied', /scopes .* too narrow/],
  [
    403,
    api('PERMISSION_DENIED', "Permission 'iam.serviceAccounts.getOpenIdToken' denied on resource"),
    'denied',
    /denied iam\.serviceAccounts\.getOpenIdToken/,
  ],
  [
    403,
    older('forbidden', "Required 'compute.instances.get' permission for 'projects/p'"),
    'denied',
    /denied compute\.instances\.get to/,
  ],
  [403, older('rateLimitExceeded', 'x'), 'throttled', /throttles/],
  [401, older('authError', 'x'), 'denied', /does not accept the token/],
  [404, older('notFound', 'x'), 'misconfigured', /knows no such/],
  [503, older('backendError', 'x'), 'unavailable', /error of its own/],
  [418, oauth('teapot', 'x'), 'denied', /HTTP 418/],
  [307, '', 'misconfigured', /redirect/],
  [502, '<html>', 'unavailable', /HTTP 502/],
  [403, { error: { code: 403 } }, 'denied', /HTTP 403/],
  [403, { error: [] }, 'denied', /HTTP 403/],
  [429, 'slow down', 'throttled', /HTTP 429/],
];

for (const [status, body, kind, says] of cases) {
  await t.test(`${status} ${JSON.stringify(body).slice(0, 70)}`, (t) => {
    const failure = failureOf(status, body);
    t.match(failure, { kind, message: says });
    t.ok(failure.remedy.length > 5);
    t.end();
  });
}

await t.test('Retry-After is kept and reported', (t) => {
  const failure = failureOf(429, api('RESOURCE_EXHAUSTED', 'x'), { 'retry-after': '7' });
  t.match(failure, { kind: 'throttled', retryAfterMs: 7000, message: /asking to wait 7 s$/ });
  t.end();
});

await t.test('a wrong clock is recognised by the date of the server', (t) => {
  const body = oauth('invalid_grant', 'ID Token issued at 1 is stale to sign-in.');
  const behind = failureOf(400, body, { date: new Date(wallMs + 10 * 60_000).toUTCString() });
  t.match(behind, { message: /this node's clock is 10 minutes behind Google's$/, remedy: /chrony/ });
  const ahead = failureOf(400, body, { date: new Date(wallMs - 90 * 60_000).toUTCString() });
  t.match(ahead, { message: /90 minutes ahead of Google's$/ });
  t.end();
});

await t.test('of the response only names in Google’s format are quoted', (t) => {
  const secret = 'LABSECRET.ya29';
  const info = { reason: 'IAM_PERMISSION_DENIED', metadata: { permission: secret, service: secret } };
  const bodies = [
    oauth('invalid_grant', `The audience in ID Token [${secret}] does not match`),
    oauth(secret, secret),
    api('PERMISSION_DENIED', `Permission '${secret}' denied`, info),
    api('PERMISSION_DENIED', secret, { ...info, reason: 'SERVICE_DISABLED' }),
    api(secret, secret),
  ];
  for (const body of bodies) {
    const { message, remedy } = failureOf(400, body);
    t.notMatch(`${message} ${remedy}`, 'LABSECRET');
  }
  t.end();
});

await t.test('a resource is missing only in Google’s own words', (t) => {
  const { status, body } = recorded('compute-not-found');
  const resource = 'projects/REDACTED/zones/us-central1-a/instanceGroupManagers/tf-test-igm-0qkad7ek8e';
  t.equal(missingResource(responseOf(status, body)), resource);
  t.equal(missingResource(responseOf(403, body)), undefined);
  t.equal(missingResource(responseOf(404, older('forbidden', `The resource '${resource}' was not found`))), undefined);
  t.equal(missingResource(responseOf(404, older('notFound', `Requested entity ${resource} was not found`))), undefined);
  t.equal(missingResource(responseOf(404, `The resource '${resource}' was not found`)), undefined);
  t.equal(missingResource(responseOf(404, '<html>')), undefined);
  t.end();
});

function responseOf(status: number, body: unknown): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: {}, body: Buffer.from(text) };
}

function failureOf(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Failure {
  return googleFailure({ ...responseOf(status, body), headers }, call, wallMs);
}

function oauth(error: string, description: string | undefined): object {
  return { error, ...(description !== undefined && { error_description: description }) };
}

function api(status: string, message: string, info?: object): object {
  return { error: { code: 1, status, message, ...(info && { details: [info] }) } };
}

function older(reason: string, message: string): object {
  return { error: { code: 1, message, errors: [{ message, domain: 'global', reason }] } };
}
