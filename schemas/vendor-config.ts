/** How a vendor's configuration file is recognised. */
export interface VendorConfig {
  readonly whose: string;
  readonly looksLike: RegExp;
  /** A key of our configuration. */
  readonly replacedBy: string;
}

/** What replaces a vendor's configuration file. It has no value of a setting that is a secret. */
export interface VendorReplacement {
  /** Our configuration. `null` stands for a value that the file does not have. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What becomes of the settings that our configuration does not have. */
  readonly remarks: readonly string[];
}
