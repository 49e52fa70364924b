import { createConnectionPool } from './connection-pool.ts';
import { exchange } from './exchange.ts';
import type { Http, HttpRequest } from './http.ts';
import { NetworkError } from './network-error.ts';
import type { Place } from './open-socket.ts';
import { proxyFor } from './proxy.ts';
import type { ProxyVariables } from './proxy.ts';

export interface HttpSettings {
  readonly proxies: ProxyVariables;
  /** PEM certificates to trust instead of what OpenSSL finds by itself (trust.ts). */
  readonly authorities?: readonly string[];
  /** Asked when OpenSSL trusts nobody who signed: the same trust, read in full. */
  readonly allAuthorities: () => readonly string[];
}

/**
 * `Http` over sockets of Node's, without its HTTP client: that costs a start of ours more than all of this. Connections are
 * kept and used again, since a metadata service is asked several things in a row.
 */
export function createHttp(settings: HttpSettings): Http {
  const pool = createConnectionPool();
  return {
    send: async (request, signal) => {
      const place = placeOf(request, settings);
      try {
        return await exchange(request, place, pool, signal);
      } catch (error) {
        // Nothing was sent yet: the handshake failed before the request.
        const isUntrusted = error instanceof NetworkError && error.reason === 'untrusted';
        if (!isUntrusted || place.authorities !== undefined) throw error;
        return exchange(request, { ...place, authorities: settings.allAuthorities() }, pool, signal);
      }
    },
    warm: (wish) => {
      // A tunnel is the proxy's to give, and it counts them.
      if (proxyFor(wish.url, settings.proxies) !== undefined) return;
      pool.warm(placeOf({ ...wish, route: 'direct' }, settings));
    },
  };
}

function placeOf(
  { url, route, trustOnly }: Pick<HttpRequest, 'url' | 'route' | 'trustOnly'>,
  { proxies, authorities }: HttpSettings,
): Place {
  const proxy = route === 'proxied' ? proxyFor(url, proxies) : undefined;
  return {
    url,
    proxy: proxy === undefined ? undefined : proxyAddress(proxy),
    authorities: trustOnly === undefined ? authorities : [trustOnly],
  };
}

/** The address may hold a password, so it is in no message. */
function proxyAddress(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new NetworkError('proxy', 'its address is not http or https');
}
