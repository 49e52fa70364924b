/** Somebody as the API server knows them. */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Whoever shows nothing; what the cluster lets everybody see, they may see too. */
export const anonymous: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
