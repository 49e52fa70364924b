/** The part of our configuration that is AWS's own; its form is checked in schemas/config.ts. */
export interface AwsConfig {
  /** Service account annotations that may name the role to take on, the first one present wins. */
  readonly roleAnnotations: readonly string[];
}
