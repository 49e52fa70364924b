import { mutateText, mutateValue } from './mutate.ts';
import { oddText, secretText, word } from './odd-values.ts';
import type { Random } from './random.ts';
import type { RawRequest, Service } from './raw-servers.ts';

/** What an answer says, before it is put on the wire. */
export interface Message {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** What AWS answers when nothing is wrong. Everything secret in it carries the marker. */
export function rightAnswer(random: Random, request: RawRequest): Message {
  return render(
    request.service,
    documentFor(random, request, (usual) => usual),
  );
}

/** In the right form, but not what was promised. */
export function oddAnswer(random: Random, request: RawRequest): Message {
  const expiry = (usual: number): unknown => (random.chance(0.5) ? oddExpiry(random) : usual);
  const document = documentFor(random, request, expiry);
  return random.weigh<() => Message>([
    [4, () => render(request.service, mutateValue(random, document))],
    [4, () => render(request.service, document)],
    [1, () => changeBody(render(request.service, document), (body) => mutateText(random, body))],
    [1, () => render(request.service, oddLogin(random))],
  ])();
}

/** A refusal in the service's own format, that says back what it should not. */
export function errorAnswer(random: Random, request: RawRequest): Message {
  const code = random.chance(0.9) ? random.pick(errorCodes) : oddTextOrSecret(random);
  const text = errorText(random, request);
  const status = random.pick([400, 400, 403, 429, 500, 503]);
  if (request.service === 'sts') {
    const error = { ErrorResponse: { Error: { Type: 'Sender', Code: code, Message: text }, RequestId: word(random) } };
    return { status, headers: [['content-type', 'text/xml']], body: toXml(error) };
  }
  const body = JSON.stringify({ __type: code, [random.pick(['message', 'Message'])]: text });
  return {
    status,
    headers: [
      ['content-type', 'application/x-amz-json-1.1'],
      ...(random.chance(0.2) ? [['x-amzn-errortype', `${code}:http://x`] as const] : []),
    ],
    body,
  };
}

function changeBody(message: Message, change: (body: string) => string): Message {
  return { ...message, body: change(message.body) };
}

type Expiry = (usual: number) => unknown;

function documentFor(random: Random, request: RawRequest, expiry: Expiry): unknown {
  const makers: Readonly<Record<Service, () => unknown>> = {
    imds: () => metadata(random, request, expiry),
    container: () => roleCredentials(random, expiry),
    ecr: () => ({
      authorizationData: [{ ...authorization(random, expiry), proxyEndpoint: 'https://123456789012.dkr.ecr' }],
    }),
    'ecr-public': () => ({ authorizationData: authorization(random, expiry) }),
    sts: () => issued(random, request, expiry),
    stranger: () => secretText(random, '', 40),
  };
  return makers[request.service]();
}

const sixHoursMs = 6 * 60 * 60 * 1_000;

function metadata(random: Random, { method, path }: RawRequest, expiry: Expiry): unknown {
  if (method === 'PUT') return secretText(random, 'AQAEA', 56);
  return path.endsWith('/') ? 'lab-node' : roleCredentials(random, expiry);
}

function roleCredentials(random: Random, expiry: Expiry): object {
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
  const action = new URLSearchParams(body).get('Action') ?? '';
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = roleCredentials(random, expiry) as Record<
    string,
    unknown
  >;
  const credentials = { AccessKeyId, SecretAccessKey, SessionToken: Token, Expiration };
  return { [`${action}Response`]: { [`${action}Result`]: { Credentials: credentials } } };
}

/** Dates that no credential has, as numbers of either unit and as text. */
function oddExpiry(random: Random): unknown {
  return random.pick([
    0,
    -1,
    1,
    1e-3,
    8.64e12,
    8.64e15,
    9e15,
    1e300,
    -8.64e15,
    nowS() - 60,
    Date.now() + 1_000,
    '',
    'soon',
    'NaN',
    null,
    '1970-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    '-271821-04-20T00:00:00Z',
    '2026-02-30T25:61:61Z',
    '12',
    {},
    [],
  ]);
}

/** Without milliseconds, as AWS writes it; what is no date stays as it is. */
function dateText(value: unknown): unknown {
  const isDate = typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
  return isDate ? new Date(value).toISOString().replace(/\.\d+Z$/, 'Z') : value;
}

/** Whole seconds, so that the length of an answer does not hang on the moment. */
function nowS(): number {
  return Math.floor(Date.now() / 1_000);
}

function oddLogin(random: Random): unknown {
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
  return { authorizationData: random.chance(0.5) ? data : [data] };
}

function render(service: Service, document: unknown): Message {
  if (service === 'sts') return { status: 200, headers: [['content-type', 'text/xml']], body: toXml(document) };
  const isText = service === 'imds' || service === 'container' || service === 'stranger';
  const type = isText ? 'text/plain' : 'application/x-amz-json-1.1';
  const body = typeof document === 'string' && isText ? document : JSON.stringify(document);
  return { status: 200, headers: [['content-type', type]], body };
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

function oddTextOrSecret(random: Random): string {
  return random.chance(0.5) ? oddText(random) : secretText(random, '', 40);
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
