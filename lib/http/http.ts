import type { TimeLimits } from './limits.ts';

/**
 * Requests with limits. Redirects are never followed: a 3xx is an answer like any other, and no caller takes it for
 * success. Bodies are bounded. Only `route: 'proxied'` looks at the proxy variables.
 */
export interface Http {
  /** Rejects with a `NetworkError` (network-error.ts) when there is no whole answer, and never because of its status. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /**
   * Opens the connection that a `proxied` request is about to need, and sends nothing over it: the first such request takes
   * it. Says nothing of what comes of it: a request that finds none opens its own, with the same errors as ever. Absent:
   * every request opens its own.
   */
  preconnect?(target: Pick<HttpRequest, 'url' | 'trustOnly'>): void;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** `direct` for metadata services, which a proxy must never see; `proxied` for everything else. */
  readonly route: 'direct' | 'proxied';
  readonly limits: HttpLimits;
  /**
   * May the server see it twice? It is sent once more, on a new connection, if a kept connection ends without a byte of the
   * response: servers close idle connections, and may do so just then. A GET always may.
   */
  readonly repeatable?: boolean;
  /** PEM certificates that replace the host's trust for this request. */
  readonly trustOnly?: string;
}

export interface HttpLimits extends TimeLimits {
  /** For answers that are lists; 1 MB where nothing is said. */
  readonly bodyBytes?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with ', '. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
