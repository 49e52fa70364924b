import type { Clock } from '../../lib/clock.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { printable } from '../../lib/printable.ts';
import { interruptionReasons } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { AssessedNotice } from './decide.ts';
import { describeNotice } from './describe-notice.ts';
import type { KnownNotice } from './merge-notices.ts';
import { openReportQueue } from './report-queue.ts';
import type { InterruptionReport } from './webhook.ts';

/** Tells people what happens: by the log, events on the Node and the webhook. Nothing waits for it. */
export interface InterruptionReporter {
  /** Notices that an earlier agent has reported. */
  seed(notices: readonly KnownNotice[]): void;
  noticesChanged(node: Node, assessed: readonly AssessedNotice[]): void;
  /** `isResumed`: an earlier agent has reported it. */
  drainStarted(node: Node, reason: string, isResumed: boolean): void;
  drainFinished(node: Node): void;
  drainStopped(node: Node, reason: string): void;
  podsBlocked(node: Node, pods: readonly string[]): void;
}

export interface ReporterDeps {
  readonly log: Log;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Of the agent. */
  readonly signal: AbortSignal;
  writeEvent(node: Node, event: NodeEvent): Promise<void>;
  /** Absent: none is configured. */
  readonly sendWebhook?: ((report: InterruptionReport) => Promise<void>) | undefined;
}

const maxNamedPods = 10;

export function createReporter(deps: ReporterDeps): InterruptionReporter {
  const { log } = deps;
  const reported = new Map<string, ReportedNotice>();
  const report = openReport(deps);
  return {
    seed: (notices) => {
      for (const notice of notices) reported.set(notice.id, { notice, text: undefined });
    },
    noticesChanged: (node, assessed) => {
      const current = new Set(assessed.map(({ notice }) => notice.id));
      for (const [id, { notice }] of reported) {
        if (current.has(id)) continue;
        reportWithdrawn(node, notice, { log, report });
        reported.delete(id);
      }
      for (const each of assessed) {
        const { notice } = each;
        const before = reported.get(notice.id);
        const text = contentOf(each);
        reported.set(notice.id, { notice, text });
        const isKnown = before !== undefined && (before.text === undefined || before.text === text);
        if (!isKnown) reportAnnounced(node, each, { log, report });
      }
    },
    drainStarted: (node, reason, isResumed) => {
      log.standard('drainStarted', { node: node.metadata.name, reason });
      if (isResumed) return;
      report(node, { type: 'Warning', reason: interruptionReasons.drainStarted, message: `evicting pods: ${reason}` });
    },
    drainFinished: (node) => {
      log.standard('drainFinished', { node: node.metadata.name });
      const message = 'all pods that have to go are gone';
      report(node, { type: 'Normal', reason: interruptionReasons.drainFinished, message });
    },
    drainStopped: (node, reason) => {
      log.standard('drainStopped', { node: node.metadata.name, reason });
      report(node, { type: 'Normal', reason: interruptionReasons.drainStopped, message: reason });
    },
    podsBlocked: (node, pods) =>
      report(node, { type: 'Warning', reason: interruptionReasons.podsBlocked, message: blockedText(pods) }),
  };
}

/** An event that cannot be written does not delay the webhook, nor the other way round. */
function openReport({ log, clock, signal, writeEvent, sendWebhook }: ReporterDeps): Report {
  const onLost = ({ reason }: { readonly reason: string }, error: unknown): void =>
    log.error(`${reason} was not reported`, error === undefined ? {} : failureFields(error));
  const addEvent = openReportQueue<NodeEvent & { readonly node: Node }>({
    send: ({ node, ...event }) => writeEvent(node, event),
    clock,
    signal,
    onLost,
  });
  const addToWebhook = sendWebhook && openReportQueue<InterruptionReport>({ send: sendWebhook, clock, signal, onLost });
  return (node, event, about = {}) => {
    const { reason, message } = event;
    addEvent({ node, ...event, message: printable(message) });
    addToWebhook?.({ node: node.metadata.name, reason, message, ...about });
  };
}

type Report = (node: Node, event: NodeEvent, about?: Partial<InterruptionReport>) => void;

interface ReportOutputs {
  readonly log: Log;
  readonly report: Report;
}

function reportAnnounced(node: Node, each: AssessedNotice, { log, report }: ReportOutputs): void {
  const { notice, action, deadlineAtMs } = each;
  const at = deadlineAtMs === undefined ? undefined : new Date(deadlineAtMs).toISOString();
  const { effect, vendorText } = notice;
  log.standard('noticeAnnounced', { node: node.metadata.name, notice: vendorText, effect, action, at });
  const message = `${describeNotice(each)}; action: ${action}`;
  report(node, { type: 'Warning', reason: interruptionReasons.announced, message }, { effect, action, at });
}

function reportWithdrawn(node: Node, { effect, vendorText }: KnownNotice, { log, report }: ReportOutputs): void {
  log.standard('noticeWithdrawn', { node: node.metadata.name, notice: vendorText, effect });
  const message = `over or withdrawn: ${vendorText}`;
  report(node, { type: 'Normal', reason: interruptionReasons.withdrawn, message }, { effect });
}

function blockedText(pods: readonly string[]): string {
  const more = pods.length > maxNamedPods ? ` and ${String(pods.length - maxNamedPods)} more` : '';
  return `disruption budgets protect ${pods.slice(0, maxNamedPods).join(', ')}${more}`;
}

interface ReportedNotice {
  readonly notice: KnownNotice;
  /** Absent: an earlier agent reported it. */
  readonly text: string | undefined;
}

/** What is reported again when it changes. That time passes is no news. */
function contentOf({ notice, action, deadlineAtMs }: AssessedNotice): string {
  return JSON.stringify([notice.effect, notice.state, notice.atMs === undefined ? undefined : deadlineAtMs, action]);
}
