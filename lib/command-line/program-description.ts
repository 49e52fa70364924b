/** The options and commands of a program, besides those that all programs share. */
export interface ProgramDescription {
  readonly name: string;
  /** For `--help`: an imperative sentence. */
  readonly summary: string;
  readonly options: readonly OptionDescription[];
  /** Commands, such as `status`. */
  readonly commands?: readonly CommandDescription[];
}

export interface CommandDescription {
  /** One word or two: `explain`, `config lint`. */
  readonly name: string;
  /** The name of its operand for `--help`: `NODE`, or `PATH…` for one or more. Absent: it has none. */
  readonly operand?: string;
  readonly description: string;
  /** Accepted only with this command. */
  readonly options: readonly OptionDescription[];
}

export interface OptionDescription {
  /** With its dashes: `--config`. */
  readonly flag: string;
  /** The name of its value for `--help`: `FILE`. Absent: a switch, on by `--flag`, off by `--flag=false`. */
  readonly value?: string;
  readonly description: string;
}
