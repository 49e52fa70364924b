import { dateText, echo, jsonMessage, oddTextOrSecret, oddToken } from '../message.ts';
import type { Expiry, Message, FakeService } from '../message.ts';
import type { Random } from '../../../support/random.ts';
import type { RawRequest } from '../raw-servers.ts';
import { googleTokenText, nowS, signedToken } from '../tokens.ts';

type GoogleService = 'gce' | 'google-sts' | 'iam' | 'oauth2';

const flavor = ['metadata-flavor', 'Google'] as const;

export const google: Readonly<Record<GoogleService, FakeService>> = {
  gce: {
    document: metadata,
    render: (document) => jsonMessage(200, document, [flavor]),
    refuse: refuseAsMetadata,
    oddLogin: (random, { path }) =>
      jsonMessage(
        200,
        path.includes('/identity') ? oddToken(random) : oddGrant(random),
        random.chance(0.8) ? [flavor] : [],
      ),
  },
  'google-sts': {
    document: (random, _request, expiry) => ({
      access_token: googleTokenText(random),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: expiry(3_599),
    }),
    render: (document) => jsonMessage(200, document, []),
    refuse: refuseAsOauth,
    oddLogin: (random) => jsonMessage(200, oddGrant(random), []),
  },
  iam: {
    document: impersonated,
    render: (document) => jsonMessage(200, document, []),
    refuse: refuseAsApi,
    oddLogin: (random) => jsonMessage(200, { accessToken: oddToken(random), token: oddToken(random) }, []),
  },
  oauth2: {
    document: (random, { body }, expiry) =>
      body.includes('target_audience')
        ? { id_token: identity(random, 'https://lab.example', expiry) }
        : {
            access_token: googleTokenText(random),
            expires_in: expiry(3_599),
            token_type: 'Bearer',
            id_token: identity(random, 'https://lab.example', expiry),
          },
    render: (document) => jsonMessage(200, document, []),
    refuse: refuseAsOauth,
    oddLogin: (random) => jsonMessage(200, { ...oddGrant(random), id_token: oddToken(random) }, []),
  },
};

function metadata(random: Random, { path }: RawRequest, expiry: Expiry): unknown {
  if (path.includes('/identity')) return identity(random, audienceIn(path), expiry);
  return { access_token: googleTokenText(random), expires_in: expiry(3_599), token_type: 'Bearer' };
}

function identity(random: Random, aud: string, expiry: Expiry): string {
  const claims = { iss: 'https://accounts.google.com', aud, sub: '101000000000000000001', exp: expiry(nowS() + 3_600) };
  return signedToken(random, claims, 340);
}

function audienceIn(path: string): string {
  return new URLSearchParams(path.split('?')[1]).get('audience') ?? '';
}

const oneHourMs = 3_600_000;

function impersonated(random: Random, { path }: RawRequest, expiry: Expiry): object {
  if (path.endsWith('generateIdToken')) return { token: identity(random, 'https://lab.example', expiry) };
  return { accessToken: googleTokenText(random), expireTime: dateText(expiry(Date.now() + oneHourMs)) };
}

function oddGrant(random: Random): object {
  return { access_token: oddToken(random), expires_in: 3_599, token_type: 'Bearer' };
}

const statuses = [400, 400, 401, 403, 404, 429, 500, 503];

function refuseAsMetadata(random: Random, request: RawRequest): Message {
  const text = random.pick([
    `<!DOCTYPE html><title>Error</title>${echo(random, request)}`,
    `generic::permission_denied: IAM returned 403 Forbidden: Permission 'iam.serviceAccounts.getAccessToken' denied ${echo(random, request)}`,
    `IAM returned 403 '${oddTextOrSecret(random)}'`,
  ]);
  return jsonMessage(random.pick(statuses), text, random.chance(0.8) ? [flavor] : []);
}

function refuseAsOauth(random: Random, request: RawRequest): Message {
  const error = random.pick([
    'invalid_grant',
    'invalid_target',
    'invalid_request',
    'unauthorized_client',
    'quota_exceeded',
    'server_error',
    oddTextOrSecret(random),
  ]);
  const text = random.pick([
    `The audience in ID Token [${echo(random, request)}] does not match the expected audience.`,
    `The issuer in ID Token ${echo(random, request)} does not match`,
    'ID Token issued at 1 is stale to sign-in.',
    "Error connecting to the given credential's issuer.",
    'The given credential is rejected by the attribute condition.',
    echo(random, request),
  ]);
  return jsonMessage(random.pick(statuses), { error, error_description: text }, []);
}

function refuseAsApi(random: Random, request: RawRequest): Message {
  const status = random.pick([
    'PERMISSION_DENIED',
    'UNAUTHENTICATED',
    'NOT_FOUND',
    'RESOURCE_EXHAUSTED',
    'INTERNAL',
    oddTextOrSecret(random),
  ]);
  const errorMetadata = {
    permission: random.pick(['iam.serviceAccounts.getAccessToken', oddTextOrSecret(random)]),
    service: random.pick(['iamcredentials.googleapis.com', oddTextOrSecret(random)]),
  };
  const reason = random.pick([
    'IAM_PERMISSION_DENIED',
    'SERVICE_DISABLED',
    'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    oddTextOrSecret(random),
  ]);
  const error = { code: 403, message: echo(random, request), status, details: [{ reason, metadata: errorMetadata }] };
  return jsonMessage(random.pick(statuses), { error }, []);
}
