/** The part of our configuration that is AWS's own; its form is checked in schemas/config.ts. */
export interface AwsConfig {
  /** Service account annotations that may name the role to take on, the first one present wins. */
  readonly roleAnnotations: readonly string[];
  /** Under which key the role that the configuration gives a node holds the external id, if its account asks for one. */
  readonly externalIdKey: string;
  /** Where the nodes' instances are. None: wherever their zones say, asked with our own identity. */
  readonly scopes: readonly ScopeConfig[];
  /** Which addresses a Node gets, the preferred family first. */
  readonly nodeIpFamilies: readonly IpFamily[];
}

export type IpFamily = 'ipv4' | 'ipv6';

/** An account and a region. */
export interface ScopeConfig {
  readonly name: string;
  readonly region: string;
  readonly profile?: string | undefined;
  readonly roleArn?: string | undefined;
  readonly accountId?: string | undefined;
}
