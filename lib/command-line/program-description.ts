/** The options and commands of a program, besides those that all programs share. */
export interface ProgramDescription {
  readonly name: string;
  /** For `--help`: an imperative sentence. */
  readonly summary: string;
  readonly options: readonly OptionDescription[];
  /**
   * Further flags of the vendors' programs that it replaces: accepted, and not part of its help. Such a program reads a
   * repeated flag as they do: the last value counts, or all of a list.
   */
  readonly upstreamOptions?: readonly OptionDescription[];
  /** Commands, such as `status`. */
  readonly commands?: readonly CommandDescription[];
}

export interface CommandDescription {
  /** One word or two: `explain`, `config lint`. */
  readonly name: string;
  /** For `--help`: `NODE`, `PATH…` for one or more, `[COMMAND]` if it may be left out. Absent: it has no operand. */
  readonly operand?: string;
  readonly description: string;
  /** Accepted only with this command. */
  readonly options: readonly OptionDescription[];
  /** Flags of the program that matter to the command, for its help. The others are accepted without effect. */
  readonly uses?: readonly string[];
}

export interface OptionDescription {
  /** With its dashes: `--config`. */
  readonly flag: string;
  /** Other spellings: `-h` of `--help`. */
  readonly aliases?: readonly string[];
  /** The name of its value for `--help`: `FILE`. Absent: a switch, on by `--flag`, off by `--flag=false`. */
  readonly value?: string;
  /** The only values that it accepts. Absent: any. */
  readonly choices?: readonly string[];
  /** Its value is a list, separated by commas. */
  readonly isList?: true;
  readonly description: string;
}
