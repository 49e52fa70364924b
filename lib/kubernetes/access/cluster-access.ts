import type { Secret } from '../../secret.ts';

/** The API server's address, the trusted authorities and the credentials, as of now. */
export interface ApiServerTarget {
  readonly server: URL;
  /** The name that its certificate must have, if it is not that of the address. */
  readonly serverName?: string;
  /** PEM. Absent: the authorities that the host trusts. */
  readonly authorities?: string;
  readonly token?: Secret;
  readonly client?: ClientCertificate;
}

/** PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: Secret;
}

/** Called before each request, since its files and programs can change. */
export interface ClusterAccess {
  /** The same object as long as nothing changed. Throws a `Failure`. */
  current(): ApiServerTarget | Promise<ApiServerTarget>;
  /** The API server refused these credentials: discard all cached ones. */
  invalidate(target: ApiServerTarget): void;
}

export function sameTarget(a: ApiServerTarget, b: ApiServerTarget): boolean {
  return sameConnection(a, b) && a.token?.reveal() === b.token?.reveal();
}

/** Whether requests to both may use one connection. A certificate has one key, so the key need not be compared. */
export function sameConnection(a: ApiServerTarget, b: ApiServerTarget): boolean {
  return sameServer(a, b) && a.authorities === b.authorities && a.client?.certificate === b.client?.certificate;
}

/** If not, a request for one must not be sent to the other. */
export function sameServer(a: ApiServerTarget, b: ApiServerTarget): boolean {
  return a.server.href === b.server.href && a.serverName === b.serverName;
}
