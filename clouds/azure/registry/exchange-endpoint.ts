import { Failure } from '../../../lib/failure.ts';
import { apiRequest, apiRetryPolicy, ask } from '../../../lib/http/ask.ts';
import { retry } from '../../../lib/retry.ts';
import type { Context } from '../../../lib/context.ts';
import { registryFailure } from '../errors.ts';

/** A registry exchanges an Entra token for a login here. */
export interface ExchangeEndpoint {
  readonly url: URL;
  readonly service: string;
}

export async function findExchange(
  endpoint: URL,
  names: readonly string[],
  context: Context,
): Promise<ExchangeEndpoint> {
  const target = endpoint.host;
  const askOnce = async (): Promise<ExchangeEndpoint> => {
    const response = await ask({ ...apiRequest, target, method: 'GET', url: new URL('/v2/', endpoint) }, context);
    if (response.status !== 401) throw registryFailure(response, { target, as: 'anonymous' }, context.clock.wallMs());
    return trustedExchange(response.headers['www-authenticate'] ?? '', names, target);
  };
  return retry(askOnce, apiRetryPolicy, context);
}

/** The token goes to the registry itself, never to another host that its response names. */
function trustedExchange(header: string, names: readonly string[], target: string): ExchangeEndpoint {
  const challenge = parseChallenge(header);
  if (challenge === undefined) throw unusableResponse(target);
  const { realm, service } = challenge;
  const realmUrl = URL.canParse(realm) ? new URL(realm) : undefined;
  const own = names.map((name) => `https://${name}`).find((origin) => origin === realmUrl?.origin);
  if (own !== undefined && realmUrl?.username === '' && realmUrl.password === '') {
    return { url: new URL('/oauth2/exchange', own), service };
  }
  throw new Failure('denied', `${target} names another host for its login, which would receive our token`, {
    remedy: 'check DNS, and that nothing else answers in place of the registry',
  });
}

/** The registry's response to a request without credentials. */
interface Challenge {
  readonly realm: string;
  readonly service: string;
}

const parameter = /([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s",]+))/gi;

/** Reads `Bearer realm="…",service="…"`, with or without quotes; `undefined`: it is another challenge. */
export function parseChallenge(header: string): Challenge | undefined {
  const start = /(?:^|,\s*)bearer\s/i.exec(header);
  if (start === null) return undefined;
  const found = new Map<string, string>();
  for (const [, name = '', quoted, bare] of header.slice(start.index).matchAll(parameter)) {
    // The first value counts: parameters of another scheme can follow.
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted ?? bare ?? '');
  }
  const realm = found.get('realm');
  const service = found.get('service');
  return realm && service ? { realm, service } : undefined;
}

export function unusableResponse(target: string): Failure {
  return new Failure('invalid-response', `${target} did not answer as an Azure container registry does`, {
    remedy: 'check DNS, and that nothing else, such as a proxy, answers in its place',
  });
}
