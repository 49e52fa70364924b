import type { Secret } from '../../secret.ts';

/** Where the API server is, whom to trust there, and as whom to speak: as of now. */
export interface ApiServerTarget {
  readonly server: URL;
  /** The name its certificate must have, if not the address's. */
  readonly serverName?: string;
  /** PEM; absent: whoever the host trusts. */
  readonly authorities?: string;
  readonly token?: Secret;
  readonly client?: ClientCertificate;
}

/** PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: Secret;
}

/** Files and programs behind it are looked at again as they change, so it is asked before each request. */
export interface ClusterAccess {
  /** The same object as long as nothing changed. Throws a `Failure`. */
  current(): ApiServerTarget | Promise<ApiServerTarget>;
  /** The API server does not know who this is: nothing remembered of it is to be given again. */
  invalidate(target: ApiServerTarget): void;
}

export function sameTarget(a: ApiServerTarget, b: ApiServerTarget): boolean {
  return sameConnection(a, b) && a.token?.reveal() === b.token?.reveal();
}

/** May requests to both go over one connection? A certificate has one key, so that says nothing more. */
export function sameConnection(a: ApiServerTarget, b: ApiServerTarget): boolean {
  return sameServer(a, b) && a.authorities === b.authorities && a.client?.certificate === b.client?.certificate;
}

/** If not, what is meant for one must not be sent to the other. */
export function sameServer(a: ApiServerTarget, b: ApiServerTarget): boolean {
  return a.server.href === b.server.href && a.serverName === b.serverName;
}
