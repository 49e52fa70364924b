import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Http } from '../../lib/http/http.ts';

type OpenHttp = (settings: HttpSettings) => Http;

/**
 * All logins use the same `Http`, with one pool of connections, for as long as they trust the same authorities. The broker
 * has no proxies: front ends with such a variable do not ask it.
 */
export function shareHttp(openHttp: OpenHttp): OpenHttp {
  let last: { readonly trust: string; readonly http: Http } | undefined;
  return (settings) => {
    const trust = JSON.stringify(settings.authorities ?? null);
    if (last?.trust !== trust) last = { trust, http: openHttp(settings) };
    return last.http;
  };
}
