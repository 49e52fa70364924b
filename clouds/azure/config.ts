/** The part of our configuration that is Azure's own; its form is checked in schemas/config.ts. */
export interface AzureConfig {
  /** Service account annotations that may name the application to log in as, the first one present wins. */
  readonly clientIdAnnotations: readonly string[];
  /** The same for the tenant that the application is in. */
  readonly tenantIdAnnotations: readonly string[];
  /** The tenant of those that name none. */
  readonly tenantId?: string | undefined;
  /** Where Entra is asked, instead of where the registry's host says. */
  readonly authorityHost?: string | undefined;
  /** What may follow a registry's name besides what the host table has. */
  readonly registrySuffixes: readonly string[];
  /** What a token has to be for that registries accept. */
  readonly registryAudience: string;
  /** What a token has to be for that Entra takes as proof of who an application is. */
  readonly exchangeAudience?: string | undefined;
}
