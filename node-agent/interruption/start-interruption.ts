import type { NoticePoll, Notices } from '../../clouds/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { realHost } from '../../lib/host.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeCloud } from '../detect.ts';
import { eventWriter } from '../node-sync/node-client.ts';
import type { NodeSync } from '../node-sync/node-sync.ts';
import { namesInstance, whyForeign, whyUnmanaged } from '../node-sync/ownership.ts';
import type { AgentFlags } from '../options.ts';
import type { AgentRuntime } from '../runtime.ts';
import type { InterruptionStatus } from '../status.ts';
import { describeNotice } from './describe-notice.ts';
import { drainNode } from './drain/drain-node.ts';
import { createPodClient } from './drain/pod-client.ts';
import { createInterruptionLoop } from './interruption-loop.ts';
import type { InterruptionLoop, InterruptionLoopDeps } from './interruption-loop.ts';
import { createMarksWriter } from './marks-writer.ts';
import { createInterruptionMetrics } from './metrics.ts';
import type { InterruptionMetrics } from './metrics.ts';
import { pollForever } from './poll-loop.ts';
import { createReporter } from './reporter.ts';
import type { ReporterDeps } from './reporter.ts';
import { interruptionMode, interruptionSettings } from './settings.ts';
import { sendReport } from './webhook.ts';

/** The part of the agent that reacts when the instance is about to go. */
export interface Interruption {
  /** `undefined`: no notice is known. */
  status(): InterruptionStatus | undefined;
  /** Resolves after the signal is aborted. */
  readonly ended: Promise<void>;
}

export interface InterruptionParts {
  readonly runtime: AgentRuntime;
  readonly nodeSync: Pick<NodeSync, 'state' | 'onNodeChange'>;
  readonly metrics: Metrics;
}

export function startInterruption(flags: AgentFlags, parts: InterruptionParts, signal: AbortSignal): Interruption {
  let loop: InterruptionLoop | undefined;
  return { status: () => loop && statusOfLoop(loop), ended: run() };

  async function run(): Promise<void> {
    const { runtime, nodeSync } = parts;
    const mode = interruptionMode(flags.interruptionMode, runtime.config.interruption);
    if (mode === 'ignore') return;
    const cloud = await untilKnown(() => nodeSync.state.cloud, signal);
    if (cloud?.notices === undefined) return;
    const metrics = openMetrics(parts.metrics, () => loop);
    const started = createInterruptionLoop({
      ...outsideDeps(flags, runtime, signal),
      settings: interruptionSettings(mode, cloud.name, runtime.config.interruption),
      metrics,
      node: () => nodeSync.state.node,
      isOwn: (node) => isOwn(node, cloud, nodeSync.state.instance),
      acknowledge: async (notice) => cloud.notices?.acknowledge?.(notice, runtime.contextFor(signal)),
    });
    loop = started;
    nodeSync.onNodeChange(started.nodeChanged);
    await Promise.all([started.run(signal), poll(cloud.notices, { ...parts, loop: started, metrics }, signal)]);
  }
}

function statusOfLoop({ decision, drain }: InterruptionLoop): InterruptionStatus | undefined {
  const notices = (decision()?.assessed ?? []).map((each) => describeNotice(each));
  const progress = drain.progress();
  return notices.length === 0 ? undefined : { notices, ...(progress !== undefined && { drain: progress }) };
}

function openMetrics(metrics: Metrics, loop: () => InterruptionLoop | undefined): InterruptionMetrics {
  return createInterruptionMetrics(metrics, {
    assessed: () => loop()?.decision()?.assessed ?? [],
    deadlineAtMs: () => loop()?.drain.order()?.deadlineAtMs,
    progress: () => loop()?.drain.progress(),
  });
}

interface PollParts extends Pick<InterruptionParts, 'runtime' | 'nodeSync'> {
  readonly loop: InterruptionLoop;
  readonly metrics: InterruptionMetrics;
}

/** Not before it is certain that the Node is this machine's. */
async function poll(
  notices: Notices,
  { runtime, nodeSync, loop, metrics }: PollParts,
  signal: AbortSignal,
): Promise<void> {
  await untilKnown(() => nodeSync.state.instance && nodeSync.state.node, signal);
  const { log, contextFor } = runtime;
  const deps = {
    notices,
    clock: systemClock,
    log,
    contextFor,
    onPoll: (result: NoticePoll) => {
      metrics.polled(result.unread.length === 0 ? 'success' : 'partial');
      loop.polled(result);
    },
    onFailure: () => metrics.polled('error'),
  };
  await pollForever(deps, signal);
}

/** Often enough to be ready before a notice comes. */
const checkEveryMs = 250;

async function untilKnown<T>(read: () => T | undefined, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted && read() === undefined) {
    await systemClock.sleep(checkEveryMs, signal).catch(() => undefined);
  }
  return read();
}

type OutsideDeps = Pick<InterruptionLoopDeps, 'clock' | 'log' | 'writer' | 'reporter' | 'drain'>;

function outsideDeps(flags: AgentFlags, runtime: AgentRuntime, signal: AbortSignal): OutsideDeps {
  const { client, log } = runtime;
  const pods = createPodClient(client, { clock: systemClock, log });
  return {
    clock: systemClock,
    log,
    writer: createMarksWriter(client, flags.dryRun, signal),
    reporter: createReporter({ log, ...reportOutputs(flags, runtime, signal) }),
    drain: async (node, { alarm, times, onProgress }, drainSignal) => {
      const nodeName = node.metadata.name;
      const watching = new AbortController();
      try {
        const current = pods.watch(nodeName, alarm, AbortSignal.any([drainSignal, watching.signal]));
        const deps = { nodeName, clock: systemClock, log, alarm, pods: current, times, send: pods.send, onProgress };
        return await drainNode(deps, drainSignal);
      } finally {
        watching.abort(new Error('the drain has ended'));
      }
    },
  };
}

/** A dry run reports to the log alone. */
function reportOutputs(
  { dryRun }: AgentFlags,
  { client, config, contextFor }: AgentRuntime,
  signal: AbortSignal,
): Omit<ReporterDeps, 'log'> {
  if (dryRun) return { writeEvent: () => Promise.resolve() };
  const { webhook } = config.interruption;
  return {
    writeEvent: eventWriter(client, systemClock, signal),
    ...(webhook !== undefined && {
      sendWebhook: (report) => sendReport(report, webhook, realHost, contextFor(signal)),
    }),
  };
}

/** The same rules as for a sync. */
function isOwn(node: Node, cloud: NodeCloud, instance: Parameters<typeof namesInstance>[1] | undefined): boolean {
  if (whyUnmanaged(node) !== undefined || whyForeign(node, cloud) !== undefined) return false;
  return instance === undefined || namesInstance(node, instance);
}
