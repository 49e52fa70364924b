import { Failure } from '../../../lib/failure.ts';
import { apiRequest, ask, bodyJson } from '../../../lib/http/ask.ts';
import { clockSkewMs, toNodeTime } from '../../../lib/http/clock-skew.ts';
import { parseIsoDate } from '../../../lib/parse-date.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Context } from '../../../lib/context.ts';
import { keystoneFailure } from '../errors.ts';
import { IssuedToken } from '../schemas.ts';
import type { TokenCatalog } from './catalog.ts';
import type { AuthMethod, Connection } from './connection.ts';

/** A token, and what Keystone reports about it. */
export interface ProjectToken {
  readonly token: Secret;
  /** By this node's clock. */
  readonly expiresAtMs: number;
  readonly projectId: string;
  readonly catalog: TokenCatalog;
}

/** https://docs.openstack.org/api-ref/identity/v3/#authentication-and-token-management */
export async function requestToken(connection: Connection, context: Context): Promise<ProjectToken> {
  const { authUrl, method, trustOnly, source } = connection;
  const url = new URL(`${authUrl.href}/auth/tokens`);
  const target = url.host;
  context.log.debug(`requesting a token at ${target} as ${source}`);
  const response = await ask(
    {
      ...apiRequest,
      target,
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(tokenRequest(method)),
      ...(trustOnly !== undefined && { trustOnly }),
    },
    context,
  );
  const wallMs = context.clock.wallMs();
  if (response.status !== 201) throw keystoneFailure(response, { target, as: source }, wallMs);
  const parsed = IssuedToken.safeParse(bodyJson(response, target));
  const token = response.headers['x-subject-token'];
  const expiresAtServerMs = parsed.success ? parseIsoDate(parsed.data.token.expires_at) : undefined;
  if (!parsed.success || !token || expiresAtServerMs === undefined) throw notKeystone(target);
  const { project, catalog } = parsed.data.token;
  if (project === undefined || catalog === undefined) throw withoutProject(source);
  const expiresAtMs = toNodeTime(expiresAtServerMs, clockSkewMs(response, wallMs) ?? 0);
  return { token: new Secret(token), expiresAtMs, projectId: project.id, catalog };
}

function tokenRequest(method: AuthMethod): unknown {
  switch (method.is) {
    case 'password': {
      const user = { ...method.user, password: method.password.reveal() };
      return { auth: { identity: { methods: ['password'], password: { user } }, scope: method.scope } };
    }
    case 'application_credential': {
      // An application credential is for one project, and a request with a scope is refused.
      const credential = { ...method.credential, secret: method.secret.reveal() };
      const identity = { methods: ['application_credential'], application_credential: credential };
      return { auth: { identity } };
    }
    case 'token': {
      const identity = { methods: ['token'], token: { id: method.token.reveal() } };
      return { auth: { identity, ...(method.scope !== undefined && { scope: method.scope }) } };
    }
  }
}

function notKeystone(target: string): Failure {
  return new Failure('invalid-response', `${target} answered with something that is not a token of Keystone`, {
    remedy: 'check auth_url, and that nothing else, such as a proxy, answers in its place',
  });
}

function withoutProject(source: string): Failure {
  return new Failure('misconfigured', `the token of ${source} is for no project, or has no catalog`, {
    remedy: 'name the project, or use an application credential of the project',
  });
}
