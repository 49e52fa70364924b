import { dateText, oddTextOrSecret, textOf } from '../message.ts';
import type { Expiry, Message, FakeService } from '../message.ts';
import { secretText, word } from '../odd-values.ts';
import type { Random } from '../../../support/random.ts';
import type { RawRequest } from '../raw-servers.ts';
import { nowS, signedToken } from '../tokens.ts';

type AwsService = 'imds' | 'container' | 'ecr' | 'ecr-public' | 'sts';

const shared = { oddLogin, refuse: refuseInJson };

export const aws: Readonly<Record<AwsService, FakeService>> = {
  imds: { ...shared, document: metadata, render: asText },
  container: { ...shared, document: (random, _request, expiry) => roleCredentials(random, expiry), render: asText },
  ecr: {
    ...shared,
    document: (random, _request, expiry) => ({
      authorizationData: [{ ...authorization(random, expiry), proxyEndpoint: 'https://123456789012.dkr.ecr' }],
    }),
    render: asJson,
  },
  'ecr-public': {
    ...shared,
    document: (random, _request, expiry) => ({ authorizationData: authorization(random, expiry) }),
    render: asJson,
  },
  sts: { document: issued, render: asXml, refuse: refuseInXml, oddLogin },
};

const sixHoursMs = 6 * 60 * 60 * 1_000;

function metadata(random: Random, { method, path }: RawRequest, expiry: Expiry): unknown {
  if (method === 'PUT') return secretText(random, 'AQAEA', 56);
  if (path.endsWith('/placement/region')) return 'us-west-2';
  return path.endsWith('/') ? 'lab-node' : roleCredentials(random, expiry);
}

function roleCredentials(random: Random, expiry: Expiry): Readonly<Record<string, unknown>> {
  return {
    Code: 'Success',
    LastUpdated: dateText(Date.now()),
    Type: 'AWS-HMAC',
    AccessKeyId: `ASIALAB${random.characters('ABCDEFGHIJ234567', 13)}`,
    SecretAccessKey: secretText(random, '', 40),
    Token: secretText(random, 'IQoJb3JpZ2luX2Vj', 400),
    Expiration: dateText(expiry(Date.now() + sixHoursMs)),
  };
}

function authorization(random: Random, expiry: Expiry): object {
  const password = secretText(random, 'eyJwYXlsb2FkIjoi', 600);
  const expiresAt = expiry(nowS() + 12 * 60 * 60);
  return { authorizationToken: Buffer.from(`AWS:${password}`).toString('base64'), expiresAt };
}

function issued(random: Random, { body }: RawRequest, expiry: Expiry): object {
  const form = new URLSearchParams(body);
  const action = form.get('Action') ?? '';
  const claims = { iss: 'https://lab.tokens.sts.global.api.aws', aud: form.get('Audience.member.1') };
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = roleCredentials(random, expiry);
  const result =
    action === 'GetWebIdentityToken'
      ? { WebIdentityToken: signedToken(random, claims, 200), Expiration }
      : { Credentials: { AccessKeyId, SecretAccessKey, SessionToken: Token, Expiration } };
  return { [`${action}Response`]: { [`${action}Result`]: result } };
}

function oddLogin(random: Random): Message {
  const password = secretText(random, '', 80);
  const text = random.pick([
    `AWS${password}`,
    `:${password}`,
    'AWS:',
    `AWS:${password}\n${password}`,
    `A WS:${password}\u0001`,
    `AWS:${password}:${password}`,
    `ÄWS:${password}`,
    '',
  ]);
  const token = random.chance(0.8) ? Buffer.from(text).toString('base64') : text;
  const data = { authorizationToken: token, expiresAt: nowS() + 43_200 };
  return asJson({ authorizationData: random.chance(0.5) ? data : [data] });
}

function asText(document: unknown): Message {
  return { status: 200, headers: [['content-type', 'text/plain']], body: textOf(document) };
}

function asJson(document: unknown): Message {
  return { status: 200, headers: [['content-type', 'application/x-amz-json-1.1']], body: JSON.stringify(document) };
}

function asXml(document: unknown): Message {
  return { status: 200, headers: [['content-type', 'text/xml']], body: toXml(document) };
}

function toXml(value: unknown): string {
  if (Array.isArray(value)) return value.map(toXml).join('');
  if (typeof value !== 'object' || value === null) {
    return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  }
  return Object.entries(value)
    .map(([name, inner]) => `<${name}>${toXml(inner)}</${name}>`)
    .join('');
}

const statuses = [400, 400, 403, 429, 500, 503];

function refuseInXml(random: Random, request: RawRequest): Message {
  const { code, text } = refusal(random, request);
  const error = { ErrorResponse: { Error: { Type: 'Sender', Code: code, Message: text }, RequestId: word(random) } };
  return { ...asXml(error), status: random.pick(statuses) };
}

function refuseInJson(random: Random, request: RawRequest): Message {
  const { code, text } = refusal(random, request);
  const { headers, body } = asJson({ __type: code, [random.pick(['message', 'Message'])]: text });
  const type = ['x-amzn-errortype', `${code}:http://x`] as const;
  return { status: random.pick(statuses), headers: random.chance(0.2) ? [...headers, type] : headers, body };
}

function refusal(random: Random, request: RawRequest): { readonly code: string; readonly text: string } {
  const code = random.chance(0.9) ? random.pick(errorCodes) : oddTextOrSecret(random);
  return { code, text: errorText(random, request) };
}

const errorCodes: readonly string[] = [
  'ThrottlingException',
  'Throttling',
  'AccessDeniedException',
  'AccessDenied',
  'ExpiredTokenException',
  'ExpiredToken',
  'InvalidIdentityToken',
  'IDPCommunicationError',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'RequestTimeTooSkewed',
  'RequestExpired',
  'RegionDisabledException',
  'ServerException',
  'InternalFailure',
  'ValidationError',
  'com.amazonaws.ecr#InvalidParameterException',
  'SomethingNobodyKnowsException',
  'Error',
  'TypeError',
  '__proto__',
  'constructor',
];

/** As AWS does for a wrong signature: with all that it was sent, and here with more than that. */
function errorText(random: Random, { headers, body, path }: RawRequest): string {
  const canonical = `The Canonical String for this request should have been\n'POST\n${path}\n\n${headers}\n\n${body}'`;
  const arn = 'arn:aws:sts::123456789012:assumed-role/lab-node/i-0a1b2c3d4e5f60718';
  return random.pick([
    `The request signature we calculated does not match the signature you provided. ${canonical}`,
    `Signature expired: 20200101T000000Z is now earlier than 20260101T000000Z ${canonical}`,
    'Signature not yet current: 20300101T000000Z',
    `User: ${arn} is not authorized to perform: ecr:GetAuthorizationToken on resource: * because no identity-based policy allows the ecr:GetAuthorizationToken action`,
    `User: ${arn} is not authorized with an explicit deny in a service control policy: ${canonical}`,
    `User: ${secretText(random, '', 60)} is not authorized ${secretText(random, 'because no ', 60)} allows`,
    'Rate exceeded',
    oddTextOrSecret(random),
  ]);
}
