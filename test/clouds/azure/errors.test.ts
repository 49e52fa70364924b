import { inspect } from 'node:util';
import t from 'tap';
import { entraRows } from '../../../clouds/azure/entra-codes.ts';
import { entraFailure, metadataFailure, registryFailure } from '../../../clouds/azure/errors.ts';
import type { AzureCall } from '../../../clouds/azure/entra-codes.ts';
import { Failure } from '../../../lib/failure.ts';
import type { FailureKind } from '../../../lib/failure.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { answer, recorded } from './recorded.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');
const call: AzureCall = { target: 'login.example', as: 'app A by its secret' };

const codes: Readonly<Record<number, readonly [kind: FailureKind, says: RegExp, remedy: RegExp]>> = {
  700016: ['denied', /no such application in the tenant: app A/, /client id and tenant id/],
  7000229: ['denied', /no such application in the tenant: app A/, /granted to that tenant/],
  90002: ['denied', /login\.example knows no such tenant/, /tenant id/],
  900021: ['denied', /knows no such tenant/, /tenant id/],
  900023: ['denied', /knows no such tenant/, /tenant id/],
  70021: ['denied', /no federated credential matches: app A/, /issuer, subject and audience/],
  700211: ['denied', /no federated credential matches/, /issuer/],
  700212: ['denied', /no federated credential matches/, /audience/],
  700213: ['denied', /no federated credential matches/, /subject/],
  7002137: ['denied', /no federated credential matches/, /subject/],
  7002138: ['denied', /no federated credential matches/, /to the letter/],
  700222: ['denied', /this kind of token is not taken/, /managed identity/],
  700229: ['denied', /this kind of token is not taken/, /managed identity/],
  50013: ['denied', /signature or form/, /issuer's keys/],
  5002723: ['denied', /signature or form/, /certificate/],
  700023: ['denied', /signature or form/, /certificate/],
  700027: ['denied', /signature or form/, /registered one/],
  700030: ['denied', /signature or form/, /registered one/],
  700024: ['denied', /outside its time/, /clock/],
  7000215: ['denied', /the secret is not accepted: app A/, /not its id/],
  7000222: ['denied', /the secret has expired: app A/, /new secret/],
  500011: ['denied', /no such audience/, /Microsoft\.ContainerRegistry/],
  500014: ['denied', /no such audience/, /Microsoft\.ContainerRegistry/],
  650057: ['denied', /no such audience/, /registryAudience/],
  7000112: ['denied', /is disabled: app A/, /enable it/],
  53003: ['denied', /Conditional Access policy blocks app A/, /workload identities/],
  90055: ['throttled', /login\.example throttles us/, /should pass/],
  50196: ['throttled', /throttles us/, /should pass/],
  90033: ['unavailable', /error of its own/, /status page/],
  90006: ['unavailable', /error of its own/, /status page/],
  90012: ['unavailable', /error of its own/, /status page/],
};

for (const [code, [kind, says, remedy]] of Object.entries(codes)) {
  await t.test(`AADSTS${code} is ${kind}`, (t) => {
    for (const body of [
      { error: 'invalid_client', error_codes: [Number(code)], error_description: 'LABSECRET said by Entra' },
      { error: 'invalid_client', error_description: `AADSTS${code}: LABSECRET said by Entra` },
    ]) {
      const failure = entraFailure(answer(401, body, {}), call, wallMs);
      t.equal(failure.kind, kind);
      t.match(failure.message, says);
      t.match(failure.message, new RegExp(`\\(AADSTS${code}\\)$`));
      t.match(failure.remedy, remedy);
      t.notMatch(inspect(failure), 'LABSECRET');
    }
    t.end();
  });
}

await t.test('every code of the table is tried', (t) => {
  const known = entraRows.flatMap((row) => row.codes);
  t.strictSame(known.map(String).toSorted(), Object.keys(codes).toSorted());
  t.end();
});

await t.test('as Entra was seen to answer', (t) => {
  t.match(entraFailure(recorded('entra-7002137'), call, wallMs), {
    kind: 'denied',
    message: 'no federated credential matches: app A by its secret (AADSTS7002137)',
  });
  t.match(entraFailure(recorded('entra-70011'), call, wallMs), {
    kind: 'denied',
    message: 'login.example (AADSTS70011) answered HTTP 400: a refusal of the request',
  });
  t.end();
});

const others: readonly (readonly [what: string, response: HttpResponse, expected: object])[] = [
  ['429', answer(429, '', { 'retry-after': '7' }), { kind: 'throttled', retryAfterMs: 7_000 }],
  ['503', answer(503, 'down', {}), { kind: 'unavailable' }],
  ['a code of ours with 503', answer(503, { error_codes: [7000215] }, {}), { kind: 'unavailable' }],
  ['a word that passes', answer(400, { error: 'temporarily_unavailable' }, {}), { kind: 'unavailable' }],
  ['a redirect', answer(302, '', { location: 'https://evil.example' }), { kind: 'misconfigured' }],
  ['no JSON', answer(400, '<html>', {}), { kind: 'denied', message: /^login\.example answered HTTP 400/ }],
  ['a list', answer(400, [], {}), { kind: 'denied' }],
  ['codes that are none', answer(400, { error_codes: ['LABSECRET'] }, {}), { kind: 'denied' }],
  ['200 of another form', answer(200, {}, {}), { kind: 'invalid-response' }],
];
for (const [what, response, expected] of others) {
  await t.test(`Entra answers ${what}`, (t) => {
    const failure = entraFailure(response, call, wallMs);
    t.match(failure, expected);
    t.notMatch(inspect(failure), /LABSECRET|evil/);
    t.ok(failure.remedy.length > 0);
    t.end();
  });
}

const imds: AzureCall = { target: 'the instance metadata service', as: 'the managed identity I' };
const metadata: readonly (readonly [what: string, status: number, body: unknown, kind: FailureKind, says: RegExp])[] = [
  [
    'no such identity',
    400,
    description('Identity not found'),
    'misconfigured',
    /does not have the managed identity I$/,
  ],
  [
    'several identities',
    400,
    description('Multiple user assigned identities exist, please specify the clientId'),
    'misconfigured',
    /several managed identities, and none was chosen/,
  ],
  ['Entra behind it', 400, description('AADSTS500011: The resource'), 'denied', /no such audience.*AADSTS500011/],
  ['anything else', 400, description('Bad request'), 'denied', /answered HTTP 400/],
  ['a wall', 403, '', 'denied', /may not be used from here/],
  ['an update', 404, '', 'unavailable', /being updated/],
  ['a longer update', 410, '', 'unavailable', /being updated/],
  ['too much', 429, '', 'throttled', /too many requests/],
  ['an error', 500, '', 'unavailable', /error of its own/],
  ['a redirect', 307, '', 'misconfigured', /redirect/],
];
for (const [what, status, body, kind, says] of metadata) {
  await t.test(`the metadata service answers ${what}`, (t) => {
    t.match(metadataFailure(answer(status, body, {}), imds, wallMs), { kind, message: says, remedy: /./ });
    t.end();
  });
}

const registry: AzureCall = { target: 'acme.azurecr.io', as: 'app A' };
const registries: readonly (readonly [what: string, status: number, body: unknown, kind: FailureKind, says: RegExp])[] =
  [
    ['no role', 401, errors('UNAUTHORIZED', 'authentication required'), 'denied', /denied the login to app A$/],
    ['no role and no word', 401, '', 'denied', /denied the login to app A$/],
    ['no right', 403, errors('DENIED', 'requested access is denied'), 'denied', /denied the login to app A$/],
    [
      'its firewall',
      403,
      errors('DENIED', 'Refer https://aka.ms/acr/firewall'),
      'denied',
      /refuses this node's address$/,
    ],
    ['too much', 429, errors('TOOMANYREQUESTS', 'too many requests'), 'throttled', /throttles logins$/],
    ['another status with the same word', 400, errors('TOOMANYREQUESTS', ''), 'throttled', /throttles logins$/],
    ['nothing there', 404, '', 'not-found', /HTTP 404/],
    ['an error', 502, '', 'unavailable', /HTTP 502/],
  ];
for (const [what, status, body, kind, says] of registries) {
  await t.test(`a registry answers ${what}`, (t) => {
    const failure = registryFailure(answer(status, body, {}), registry, wallMs);
    t.match(failure, { kind, message: says, remedy: /./ });
    t.ok(failure instanceof Failure);
    t.end();
  });
}

await t.test('a Retry-After is reported and kept', (t) => {
  const throttled = registryFailure(answer(429, '', { 'retry-after': '9' }), registry, wallMs);
  t.match(throttled, { retryAfterMs: 9_000, message: /asking to wait 9 s$/ });
  t.end();
});

function description(text: string): object {
  return { error: 'invalid_request', error_description: text };
}

function errors(code: string, message: string): object {
  return { errors: [{ code, message, detail: null }] };
}
