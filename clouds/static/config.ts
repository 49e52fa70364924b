/** Logins that no cloud gives; the form is checked in schemas/config.ts. */
export interface StaticConfig {
  readonly logins: readonly StoredLogin[];
  readonly dockerConfigFiles: readonly string[];
  /** The machines that are no cloud's. */
  readonly inventoryFile?: string | undefined;
}

export interface StoredLogin {
  /** `host[:port][/path]` */
  readonly match: string;
  readonly usernameFile: string;
  readonly passwordFile: string;
}
