/** A user, as the API server returns it. */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user of a request without credentials. It has the permissions that the cluster gives to everyone. */
export const anonymous: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
