import type { TimeLimits } from './limits.ts';

/**
 * Requests with limits. Redirects are never followed: a 3xx is returned like any other response, and no caller treats it as
 * success. Bodies are bounded. Only `route: 'proxied'` looks at the proxy variables.
 */
export interface Http {
  /** Rejects with a `NetworkError` (network-error.ts) without a complete response, and never because of its status. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /**
   * Opens the connection that a `proxied` request is about to need, and sends nothing over it: the first such request uses
   * it. Errors are not reported: a request that finds no connection opens its own, with its own errors. Absent:
   * every request opens its own.
   */
  preconnect?(target: Pick<HttpRequest, 'url' | 'trustOnly'>): void;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: URL;
  /** The interface towards a link-local IPv6 address: a URL cannot name it. */
  readonly zone?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** `direct` for metadata services, which a proxy must never see; `proxied` for everything else. */
  readonly route: 'direct' | 'proxied';
  readonly limits: HttpLimits;
  /**
   * True if the server may receive it twice. It is sent again, on a new connection, if a kept connection ends without a
   * byte of the response: a server may close an idle connection just then. A GET may always be repeated.
   */
  readonly repeatable?: boolean;
  /** PEM certificates that replace the host's trust for this request. */
  readonly trustOnly?: string;
  /**
   * The only certificate that the server may present. Its signature, name and dates do not count: SHA-1 or SHA-256 of
   * the certificate, as upper-case pairs of hexadecimal digits with colons. It is checked before a byte is sent.
   */
  readonly certificatePin?: string;
}

export interface HttpLimits extends TimeLimits {
  /** For responses that are lists; the default is 1 MB. */
  readonly bodyBytes?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; the values of a repeated header are joined with ', '. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
