import type { HttpRequest, HttpResponse } from '../../lib/http/http.ts';
import { NetworkError, networkFailure } from '../../lib/http/network-error.ts';
import type { Context } from '../../lib/context.ts';

/** All attempts together stay below the time that the whole answer may take, so that the last failure is told. */
export const serviceLimits = { connectMs: 5_000, totalMs: 10_000 };
export const servicePolicy = { attempts: 4, firstWaitMs: 300, maxWaitMs: 5_000 };

/** What we ask Entra and registries. */
export type AzureRequest = Pick<HttpRequest, 'method' | 'url'> & { readonly form?: Readonly<Record<string, string>> };

/** One question; `whom` is for the failure when there is no whole answer. */
export async function askService(azureRequest: AzureRequest, target: string, context: Context): Promise<HttpResponse> {
  const { method, url, form } = azureRequest;
  const headers = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const body = form === undefined ? {} : { body: new URLSearchParams(form).toString() };
  try {
    const request: HttpRequest = {
      method,
      url,
      headers,
      ...body,
      route: 'proxied',
      repeatable: true,
      limits: serviceLimits,
    };
    return await context.http.send(request, context.signal);
  } catch (error) {
    throw error instanceof NetworkError ? networkFailure(target, error) : error;
  }
}
