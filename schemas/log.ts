/**
 * The keys of log lines of the daemons. Their names are part of the interface: people and programs filter by them. `ts`,
 * `level`, `v` and `msg` are taken by the JSON format itself.
 */
export const logKeys = {
  program: 'the name of the program',
  version: 'its version',
  commit: 'the commit that it was built from',
  nodejs: 'the version of Node.js in it',
  clouds: 'the clouds that it serves',
  identity: 'what this process is called: the holder identity of a replica, the Node of an agent',
  dryRun: 'true: it writes nothing',
  holder: 'the identity that holds the Lease',
  cloud: 'the name of a cloud',
  scope: 'one account and place of a cloud',
  node: 'the name of a Node',
  uid: 'the UID of that Node',
  providerID: 'its spec.providerID',
  changes: 'what is written, in words',
  evidence: 'what the cloud said, in its own words',
  reason: 'why',
  err: 'what failed',
  hint: 'what to do about it',
} as const;

export type LogKey = keyof typeof logKeys;
export type LogValue = string | number | boolean | readonly string[];
/** A key whose value is undefined is left out. */
export type LogFields = Readonly<Partial<Record<LogKey, LogValue | undefined>>>;

export type Severity = 'info' | 'error';

interface LineDescription {
  readonly severity: Severity;
  readonly message: string;
  /** Always there; other keys may follow. */
  readonly keys: readonly LogKey[];
}

/** The lines that operators look for. Message and keys stay the same from version to version. */
export const logLines = {
  starting: {
    severity: 'info',
    message: 'Starting',
    keys: ['program', 'version', 'commit', 'nodejs', 'clouds', 'identity', 'dryRun'],
  },
} as const satisfies Readonly<Record<string, LineDescription>>;

export type LineName = keyof typeof logLines;
export type LineFields<Name extends LineName> = LogFields &
  Readonly<Record<(typeof logLines)[Name]['keys'][number], LogValue>>;
