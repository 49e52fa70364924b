/** A Go module of ours that pins what it takes to build some of the programs. */
export interface GoModule {
  readonly name: string;
  readonly version: string;
  /** Of programs that were built elsewhere. */
  readonly acceptedVersion: RegExp;
  /** Where its go.mod is. */
  readonly directory: string;
  readonly linkerFlags: string;
  /** Program → Go package. */
  readonly packages: Readonly<Record<string, string>>;
  /** The argument that prints the version, if it is not `--version`; `none`: the program cannot print it. */
  readonly versionArguments: Readonly<Record<string, readonly string[] | 'none'>>;
}
