import { echo, jsonMessage, oddExpiry, oddTextOrSecret, oddToken, textOf } from '../message.ts';
import type { Expiry, Message, FakeService } from '../message.ts';
import { oddText } from '../odd-values.ts';
import type { Random } from '../../../support/random.ts';
import type { RawRequest } from '../raw-servers.ts';
import { entraTokenText, nowS, signedToken } from '../tokens.ts';

type AzureService = 'azure-imds' | 'entra' | 'acr';

export const azure: Readonly<Record<AzureService, FakeService>> = {
  'azure-imds': {
    document: (random, { path }, expiry) => ({
      access_token: entraTokenText(random, new URLSearchParams(path.split('?')[1]).get('resource') ?? ''),
      expires_in: '86399',
      expires_on: expiryText(expiry(nowS() + 86_400)),
      not_before: String(nowS()),
      resource: 'https://containerregistry.azure.net',
      token_type: 'Bearer',
    }),
    render: (document) => jsonMessage(200, document, []),
    refuse: refuseAsEntra,
    oddLogin: (random) => jsonMessage(200, { access_token: oddToken(random), expires_on: String(nowS() + 60) }, []),
  },
  entra: {
    document: (random, _request, expiry) => ({
      token_type: 'Bearer',
      expires_in: expiry(3_599),
      ext_expires_in: 3_599,
      access_token: entraTokenText(random, 'https://containerregistry.azure.net'),
    }),
    render: (document) => jsonMessage(200, document, []),
    refuse: refuseAsEntra,
    oddLogin: (random) => jsonMessage(200, { access_token: oddToken(random), expires_in: 3_599 }, []),
  },
  acr: { document: registryDocument, render: renderRegistry, refuse: refuseAsRegistry, oddLogin: oddRegistry },
};

/** The metadata service writes seconds in digits. */
function expiryText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function registryDocument(random: Random, { method, host }: RawRequest, expiry: Expiry): object {
  if (method === 'GET') return { realm: `https://${host}/oauth2/token`, service: host };
  const claims = { aud: host, exp: expiry(nowS() + 3 * 60 * 60), grant_type: 'refresh_token' };
  return { refresh_token: signedToken(random, claims, 340) };
}

const required = { errors: [{ code: 'UNAUTHORIZED', message: 'authentication required', detail: null }] };

/** Whom to ask is in a header. */
function renderRegistry(document: unknown, { method }: RawRequest): Message {
  if (method !== 'GET') return jsonMessage(200, document, []);
  const fields = typeof document === 'object' && document !== null ? Object.entries(document) : [];
  const text = fields.map(([name, value]) => `${name}="${headerText(value)}"`).join(',');
  return jsonMessage(401, required, [['www-authenticate', `Bearer ${text}`]]);
}

function headerText(value: unknown): string {
  return textOf(value).replaceAll(/[\r\n]/g, ' ');
}

/** Servers that would get our token if we trusted the realm of a registry. */
function oddRegistry(random: Random, { method, host }: RawRequest): Message {
  if (method !== 'GET') {
    const claims = { exp: oddExpiry(random) };
    return jsonMessage(
      200,
      { refresh_token: random.chance(0.5) ? oddToken(random) : signedToken(random, claims, 90) },
      [],
    );
  }
  const realm = random.pick([
    'https://evil.example/oauth2/token',
    `https://${host}.evil.example/oauth2/token`,
    `https://${host}@evil.example/oauth2/token`,
    `https://robot:secret@${host}/oauth2/token`,
    `http://${host}/oauth2/token`,
    `https://${host}:8443/oauth2/token`,
    `https://other.azurecr.io/oauth2/token`,
    `https://${host.toUpperCase()}/oauth2/token`,
    `https://${host}\\@evil.example/`,
    `https://evil.example/${host}`,
    '//evil.example/oauth2/token',
    '/oauth2/token',
    'file:///etc/passwd',
    oddText(random),
  ]);
  const text = random.pick([
    `Bearer realm="${realm}",service="${host}"`,
    `Bearer realm="${realm}",service="${host}"`,
    `bearer service="${host}", realm="${realm}"`,
    `Basic realm="x", Bearer realm=${realm},service=${host}`,
    `Bearer service="${host}",realm="${realm}",realm="https://${host}/oauth2/token"`,
    `Bearer realm="https://${host}/oauth2/token",service="${oddText(random)}"`,
    `Bearer ${'a="b",'.repeat(4_000)}realm="${realm}"`,
    'Basic realm="acr"',
    '',
  ]);
  return jsonMessage(401, required, [['www-authenticate', text.replaceAll(/[\r\n]/g, ' ')]]);
}

const statuses = [400, 400, 401, 401, 403, 404, 410, 429, 500, 503];

function refuseAsEntra(random: Random, request: RawRequest): Message {
  const code = random.pick([7000215, 700016, 700213, 700024, 70021, 90002, 50034, 53003, 500011, 50196, 1, 999999999]);
  const text = random.pick([
    `AADSTS${code}: ${echo(random, request)}`,
    `AADSTS${code}: Trace ID: 0 Correlation ID: 0`,
    'Identity not found',
    'Multiple user assigned identities exist, please specify the clientId',
    echo(random, request),
  ]);
  const error = random.pick(['invalid_client', 'invalid_request', 'temporarily_unavailable', oddTextOrSecret(random)]);
  const codes = random.pick<unknown>([[code], [], undefined, [oddText(random)], [1e300], code]);
  return jsonMessage(random.pick(statuses), { error, error_description: text, error_codes: codes }, []);
}

function refuseAsRegistry(random: Random, request: RawRequest): Message {
  const code = random.pick(['UNAUTHORIZED', 'DENIED', 'TOOMANYREQUESTS', 'UNKNOWN', oddTextOrSecret(random)]);
  const message = random.pick([
    "client with IP '10.1.0.4' is not allowed access. Refer https://aka.ms/acr/firewall to grant access.",
    echo(random, request),
  ]);
  return jsonMessage(random.pick(statuses), { errors: [{ code, message, detail: echo(random, request) }] }, []);
}
