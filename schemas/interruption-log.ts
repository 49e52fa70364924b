import type { LineDescription } from './log-keys.ts';

/** The lines of the agent about notices and drains. Part of `logLines` in log.ts. */
export const interruptionLines = {
  noticeAnnounced: {
    severity: 'info',
    message: 'The cloud announced an interruption',
    when: 'a notice is seen for the first time, or its time or state has changed',
    keys: ['node', 'notice', 'effect', 'action'],
  },
  noticeWithdrawn: {
    severity: 'info',
    message: 'An announced interruption is over or withdrawn',
    when: 'the cloud no longer lists a notice',
    keys: ['node', 'notice', 'effect'],
  },
  noticesFailing: {
    severity: 'error',
    message: 'Notices cannot be read',
    when: 'a source of notices cannot be read; once for each reason, then every 5 minutes. Known notices still hold',
    keys: ['source', 'err'],
  },
  noticesRecovered: {
    severity: 'info',
    message: 'Notices are read again',
    when: 'after `Notices cannot be read`',
    keys: ['source'],
  },
  nodeMarked: {
    severity: 'info',
    message: 'Node marked for an interruption',
    when: 'taint, cordon or state of the Node were changed because of a notice',
    keys: ['node', 'changes'],
  },
  nodeMarkPlanned: {
    severity: 'info',
    message: 'Dry run: Node would be marked for an interruption',
    when: 'in a dry run instead of the lines about marks and drains; once, and again when the plan changes',
    keys: ['node', 'changes'],
  },
  nodeMarkFailing: {
    severity: 'error',
    message: 'Node cannot be marked for an interruption',
    when: 'the API server refuses or does not answer; once for each reason. It is retried',
    keys: ['node', 'err'],
  },
  drainStarted: {
    severity: 'info',
    message: 'Drain started',
    when: 'the agent begins to evict pods, or goes on after a restart',
    keys: ['node', 'reason'],
  },
  podsAsked: {
    severity: 'info',
    message: 'Pods asked to go',
    when: 'each time the agent has evicted or deleted pods',
    keys: ['node', 'pods'],
  },
  podBlocked: {
    severity: 'info',
    message: 'A disruption budget protects a pod',
    when: 'the API server refused an eviction; once for each pod. It is retried, and the pod is deleted in time',
    keys: ['node', 'pod'],
  },
  podDeleted: {
    severity: 'error',
    message: 'A pod that was not evicted in time is deleted',
    when: 'a pod needs the rest of the time to end',
    keys: ['node', 'pod', 'reason'],
  },
  podFailing: {
    severity: 'error',
    message: 'A pod cannot be asked to go',
    when: 'the API server refuses or does not answer; once for each pod and reason. It is retried',
    keys: ['node', 'pod', 'err'],
  },
  drainFinished: {
    severity: 'info',
    message: 'Drain finished',
    when: 'all pods that a drain is about are gone',
    keys: ['node'],
  },
  drainStopped: {
    severity: 'info',
    message: 'Drain stopped',
    when: 'the reason of a drain is gone before its end',
    keys: ['node', 'reason'],
  },
} as const satisfies Readonly<Record<string, LineDescription>>;
