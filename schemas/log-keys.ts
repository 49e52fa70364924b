/**
 * The keys of the daemons' log lines. Their names are part of the interface: people and programs filter by them. The JSON
 * format itself uses `ts`, `level`, `v` and `msg`.
 */
export const logKeys = {
  program: 'the name of the program',
  version: 'its version',
  commit: 'the commit of its build',
  nodejs: 'the version of Node.js in it',
  clouds: 'the enabled clouds',
  identity: 'the name of this process: the holder identity of a replica, the Node of an agent',
  dryRun: '`true`: the program writes nothing to the API server',
  flag: 'a flag on the command line',
  port: 'a TCP port',
  holder: 'the identity that holds the Lease',
  cloud: 'the name of a cloud',
  scope: 'one account in one place of a cloud',
  node: 'the name of a Node',
  uid: 'the UID of that Node',
  providerID: 'its spec.providerID',
  taint: 'the key of a taint',
  changes: 'what the program writes, in words',
  notice: 'what the cloud announced, in its own words',
  effect: 'what a notice means for the instance: `ends`, `restarts`, `pauses` or `may-end`',
  at: 'when it happens',
  action: 'what the agent does about a notice: `ignore`, `report`, `taint` or `drain`',
  source: 'the part of the metadata service that announces something',
  route: 'a pod CIDR, and the instance or address that packets for it go to',
  routes: 'several of them',
  pod: 'the namespace and name of a pod',
  pods: 'a number of pods',
  evidence: 'what the cloud reported, in its own words',
  reason: 'why',
  err: 'what failed',
  hint: 'what to do',
  details: 'further lines, for example a configuration to copy',
} as const;

export type LogKey = keyof typeof logKeys;

export type Severity = 'info' | 'error';

export interface LineDescription {
  readonly severity: Severity;
  readonly message: string;
  /** When the line is written. */
  readonly when: string;
  /** Always present; other keys may follow. */
  readonly keys: readonly LogKey[];
}
