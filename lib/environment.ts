/** The variables that a program was started with, as far as it looks at them. */
export type Environment = Readonly<Record<string, string | undefined>>;
