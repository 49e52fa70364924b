/** The part of our configuration that is Google's own; its form is checked in schemas/config.ts. */
export interface GcpConfig {
  /** Service account annotations that may name the Google service account to impersonate; the first one present wins. */
  readonly serviceAccountAnnotations: readonly string[];
  /** Service account annotations that may name the provider of a workload identity pool; the first one present wins. */
  readonly providerAnnotations: readonly string[];
  /** The provider that pods' tokens are shown to where no annotation names one. */
  readonly workloadIdentityProvider?: string | undefined;
  /** What the access tokens that we ask for are good for. */
  readonly scopes: readonly string[];
  /** Where the APIs are. Other universes than Google's own are those that its partners run. */
  readonly universeDomain: string;
  /** Where the universe's Artifact Registry is. */
  readonly registryDomain: string;
  /** In place of the universe's public API hosts, for nodes that reach them by private names only. */
  readonly endpoints: EndpointConfig;
}

export interface EndpointConfig {
  readonly sts?: string | undefined;
  readonly iamCredentials?: string | undefined;
  readonly oauth2?: string | undefined;
}

export const ownUniverse = 'googleapis.com';
export const ownRegistryDomain = 'pkg.dev';
