import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { parseJson } from '../json.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { NetworkError, networkFailure } from './network-error.ts';
import { statusFailure } from './status-failure.ts';

/** A request, and the name of what it is sent to. */
export interface AskRequest extends Omit<HttpRequest, 'headers' | 'body'> {
  /** For messages: a host, or e.g. `the metadata server`. */
  readonly target: string;
  readonly headers?: HttpRequest['headers'];
  /** Search parameters are sent as a form. */
  readonly body?: string | Uint8Array | URLSearchParams;
  /** What to do if there is no response, where the general advice would mislead. */
  readonly remedyIfUnreachable?: string;
}

/** Sends a request once. A response of any status is returned; without a whole response it throws a `Failure`. */
export async function ask(request: AskRequest, context: Pick<Context, 'http' | 'signal'>): Promise<HttpResponse> {
  const { target, remedyIfUnreachable, headers = {}, body, ...others } = request;
  const isForm = body instanceof URLSearchParams;
  try {
    return await context.http.send(
      {
        ...others,
        headers: isForm ? { 'content-type': 'application/x-www-form-urlencoded', ...headers } : headers,
        ...(body !== undefined && { body: isForm ? body.toString() : body }),
      },
      context.signal,
    );
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const failure = networkFailure(target, error);
    if (remedyIfUnreachable === undefined) throw failure;
    throw new Failure(failure.kind, failure.message, { remedy: remedyIfUnreachable, cause: error });
  }
}

/** As `ask`, but every status other than 200 is a `Failure`, by what the status alone says. */
export async function askSuccessfully(
  request: AskRequest,
  context: Pick<Context, 'http' | 'signal' | 'clock'>,
): Promise<HttpResponse> {
  const response = await ask(request, context);
  if (response.status === 200) return response;
  throw statusFailure(request.target, response, context.clock.wallMs());
}

/**
 * Asks one service at its addresses in turn, until it can be reached at one: a node without IPv4 has no route to the
 * first. If none can be reached, the failure of the first is thrown.
 */
export async function askInTurn<Address, T>(
  [address, ...others]: readonly [Address, ...Address[]],
  askAt: (address: Address) => Promise<T>,
): Promise<T> {
  try {
    return await askAt(address);
  } catch (error) {
    const [next, ...further] = others;
    const isUnreachable = error instanceof Failure && error.cause instanceof NetworkError;
    if (next === undefined || !isUnreachable) throw error;
    return askInTurn([next, ...further], askAt).catch(() => Promise.reject(error));
  }
}

export function bodyText({ body }: HttpResponse): string {
  return Buffer.from(body).toString('utf8');
}

/** Throws a `Failure` if the body is not JSON. */
export function bodyJson(response: HttpResponse, target: string): unknown {
  const json = parseJson(bodyText(response));
  if (json !== undefined) return json;
  throw new Failure('invalid-response', `${target} answered with something that is not its format`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}

/** For an API of a cloud. All attempts together take less time than the whole answer may, so the last failure is reported. */
export const apiRequest = {
  route: 'proxied',
  repeatable: true,
  limits: { connectMs: 5_000, totalMs: 10_000 },
} as const;
export const apiRetryPolicy = { attempts: 4, firstWaitMs: 300, maxWaitMs: 5_000 };
