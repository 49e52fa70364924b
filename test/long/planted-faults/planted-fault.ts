/** A possible mistake in the code, and the unit tests that must notice it. */
export interface PlantedFault {
  /** What goes wrong, in one sentence. */
  readonly name: string;
  /** The source file, from the root of the repository. */
  readonly file: string;
  /** This text stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** Files of unit tests. At least one assertion of each fails. */
  readonly tests: readonly string[];
}
