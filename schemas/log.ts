import { interruptionLines } from './interruption-log.ts';
import type { LineDescription, LogKey } from './log-keys.ts';
import { routeLines } from './route-log.ts';

export type LogValue = string | number | boolean | readonly string[];
/** A key whose value is undefined is left out. */
export type LogFields = Readonly<Partial<Record<LogKey, LogValue | undefined>>>;

/** The lines that operators look for. Message and keys stay the same from version to version. */
export const logLines = {
  starting: {
    severity: 'info',
    message: 'Starting',
    when: 'at the start of each daemon',
    keys: ['program', 'version', 'commit', 'nodejs', 'clouds', 'identity', 'dryRun'],
  },
  flagWithoutEffect: {
    severity: 'info',
    message: 'This flag has no effect',
    when: 'at the start, for each flag that only a vendor’s program has; see [these flags](upstream-flags.md)',
    keys: ['flag', 'reason'],
  },
  stopping: {
    severity: 'info',
    message: 'Stopping',
    when: 'on SIGTERM or SIGINT',
    keys: ['reason'],
  },
  failed: {
    severity: 'error',
    message: 'Stopping after a failure',
    when: 'a daemon cannot start or continue; a plain line with `--logging-format=text`',
    keys: ['err'],
  },
  portInUse: {
    severity: 'info',
    message: 'The port is in use; waiting for it before the leader election',
    when: 'another replica on the node, or another program, uses the `--secure-port` of this replica',
    keys: ['port', 'hint'],
  },
  leading: {
    severity: 'info',
    message: 'Leading',
    when: 'this replica of the controller holds the Lease, or runs without election',
    keys: ['identity', 'reason'],
  },
  following: {
    severity: 'info',
    message: 'Following: this replica writes nothing',
    when: 'another replica or another controller holds the Lease; once for each holder',
    keys: ['holder'],
  },
  leaseLost: {
    severity: 'error',
    message: 'The Lease is lost: nothing is written any more',
    when: 'a leader did not renew the Lease in time, or another program holds it',
    keys: ['identity'],
  },
  leaseReleased: {
    severity: 'info',
    message: 'The Lease is given back',
    when: 'a leader exits and releases the Lease; another replica can lead at once',
    keys: ['identity'],
  },
  electionFailing: {
    severity: 'error',
    message: 'The Lease cannot be read or written',
    when: 'the API server does not respond to the leader election, or refuses it; once for each reason, then every 5 minutes',
    keys: ['err'],
  },
  electionRecovered: {
    severity: 'info',
    message: 'The Lease can be read and written again',
    when: 'after `The Lease cannot be read or written`',
    keys: [],
  },
  watchFailing: {
    severity: 'error',
    message: 'Nodes cannot be watched',
    when: 'the API server ends or refuses the watch; once for each reason, then every 5 minutes',
    keys: ['err'],
  },
  watchRecovered: {
    severity: 'info',
    message: 'Nodes are watched again',
    when: 'after `Nodes cannot be watched`',
    keys: [],
  },
  nodeInitialized: {
    severity: 'info',
    message: 'Node initialised',
    when: 'a new Node got its addresses, labels and providerID, and lost the taint `uninitialized`',
    keys: ['node', 'uid', 'providerID', 'changes'],
  },
  nodeUpdated: {
    severity: 'info',
    message: 'Node updated',
    when: 'a Node differed from its instance and was updated',
    keys: ['node', 'uid', 'providerID', 'changes'],
  },
  taintSet: {
    severity: 'info',
    message: 'Taint set',
    when: 'the instance is stopped: its Node got the taint `shutdown`, and `out-of-service` if that is configured',
    keys: ['node', 'uid', 'providerID', 'taint', 'reason'],
  },
  taintRemoved: {
    severity: 'info',
    message: 'Taint removed',
    when: 'the instance runs again, or the Node is Ready',
    keys: ['node', 'uid', 'providerID', 'taint', 'reason'],
  },
  instanceReported: {
    severity: 'info',
    message: 'Instance condition written',
    when: 'the condition `polycloud.dev/Instance` of a Node changed; `reason` is that of the condition',
    keys: ['node', 'uid', 'providerID', 'reason', 'evidence'],
  },
  nodeDeleted: {
    severity: 'info',
    message: 'Node deleted',
    when: 'a Node was deleted because its instance is gone',
    keys: ['node', 'uid', 'providerID', 'evidence', 'reason'],
  },
  deletionPlanned: {
    severity: 'info',
    message: 'Dry run: Node would be deleted',
    when: 'in a dry run instead of `Node deleted`; once, until the instance is found again',
    keys: ['node', 'uid', 'providerID', 'evidence', 'reason'],
  },
  nodePlanned: {
    severity: 'info',
    message: 'Dry run: Node would be changed',
    when: 'in a dry run instead of the lines about writes; once, and again when the plan changes',
    keys: ['node', 'uid', 'changes'],
  },
  nodeInSync: {
    severity: 'info',
    message: 'Node is in sync with its machine',
    when: 'the first sync of the agent found nothing to write',
    keys: ['node', 'uid', 'providerID'],
  },
  nodeLeftAlone: {
    severity: 'info',
    message: 'Node is left alone',
    when: 'the agent must not manage the Node; once for each reason',
    keys: ['node', 'uid', 'reason'],
  },
  cloudFailing: {
    severity: 'error',
    message: 'Instances cannot be looked up',
    when: 'a cloud refuses, throttles or does not answer look-ups in a scope; once for each reason, then every 5 minutes',
    keys: ['cloud', 'scope', 'err'],
  },
  cloudRecovered: {
    severity: 'info',
    message: 'Instances are looked up again',
    when: 'after `Instances cannot be looked up`',
    keys: ['cloud', 'scope'],
  },
  deletionsStopped: {
    severity: 'error',
    message: 'Deletions are stopped',
    when: 'too many instances of a scope are missing at once; again when more are missing',
    keys: ['scope', 'reason', 'hint'],
  },
  deletionsResumed: {
    severity: 'info',
    message: 'Deletions go on',
    when: 'after `Deletions are stopped`',
    keys: ['scope'],
  },
  nodeFailing: {
    severity: 'error',
    message: 'Node cannot be synced',
    when: 'a Node could not be initialised or updated; once for each reason, until it works again',
    keys: ['node', 'reason', 'err'],
  },
  nodeRecovered: {
    severity: 'info',
    message: 'Node can be synced again',
    when: 'after `Node cannot be synced`',
    keys: ['node'],
  },
  ...routeLines,
  ...interruptionLines,
} as const satisfies Readonly<Record<string, LineDescription>>;

export type LineName = keyof typeof logLines;
export type LineFields<Name extends LineName> = LogFields &
  Readonly<Record<(typeof logLines)[Name]['keys'][number], LogValue>>;
