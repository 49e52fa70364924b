import type { NoticePoll, Notices } from '../../clouds/index.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import type { HealthCheck } from '../../lib/server/health.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeCloud } from '../detect.ts';
import type { NodeSync } from '../node-sync/node-sync.ts';
import { namesInstance, whyForeign, whyUnmanaged } from '../node-sync/ownership.ts';
import type { AgentFlags } from '../options.ts';
import type { AgentRuntime } from '../runtime.ts';
import type { InterruptionStatus } from '../status.ts';
import { describeNotice } from './describe-notice.ts';
import { createHeartbeat, heartbeatChecks } from './heartbeat.ts';
import type { Heartbeat } from './heartbeat.ts';
import { createInterruptionLoop } from './interruption-loop.ts';
import type { InterruptionLoop } from './interruption-loop.ts';
import { loopOutputs } from './loop-outputs.ts';
import { createInterruptionMetrics } from './metrics.ts';
import type { InterruptionMetrics } from './metrics.ts';
import { pollForever } from './poll-loop.ts';
import { interruptionMode, interruptionSettings } from './settings.ts';

/** The part of the agent that reacts when the instance is about to go. */
export interface Interruption {
  /** `undefined`: no notice is known. */
  status(): InterruptionStatus | undefined;
  readonly live: readonly HealthCheck[];
  /** Resolves after the signal is aborted. */
  readonly ended: Promise<void>;
}

export interface InterruptionParts {
  readonly runtime: AgentRuntime;
  readonly nodeSync: Pick<NodeSync, 'state' | 'onNodeChange'>;
}

export function startInterruption(flags: AgentFlags, parts: InterruptionParts, signal: AbortSignal): Interruption {
  let loop: InterruptionLoop | undefined;
  const heartbeats = openHeartbeats();
  return {
    status: () => loop && statusOfLoop(loop),
    live: heartbeatChecks(heartbeats),
    ended: run(),
  };

  async function run(): Promise<void> {
    const { runtime, nodeSync } = parts;
    const cloud = await untilKnown(() => nodeSync.state.cloud, signal);
    if (cloud?.notices === undefined) return;
    const mode = interruptionMode(flags.interruptionMode, runtime.config.interruption);
    const metrics = openMetrics(runtime.metrics, () => loop);
    const started = createInterruptionLoop({
      ...loopOutputs(flags, runtime, signal),
      settings: interruptionSettings(mode, cloud.name, runtime.config.interruption),
      metrics,
      heartbeat: heartbeats.interruption,
      drainHeartbeat: heartbeats.drain,
      node: () => nodeSync.state.node,
      isOwn: (node) => isOwn(node, cloud, nodeSync.state.instance),
      acknowledge: async (notice) => cloud.notices?.acknowledge?.(notice, runtime.contextFor(signal)),
    });
    loop = started;
    nodeSync.onNodeChange(started.nodeChanged);
    const pollParts = { ...parts, loop: started, metrics, heartbeat: heartbeats.notices };
    // Without polls the loop removes what an earlier agent left, and then only waits.
    if (mode === 'ignore') started.polled({ notices: [], unread: [] });
    await Promise.all([started.run(signal), ...(mode === 'ignore' ? [] : [poll(cloud.notices, pollParts, signal)])]);
  }
}

type Heartbeats = Readonly<Record<'notices' | 'interruption' | 'drain', Heartbeat>>;

function openHeartbeats(): Heartbeats {
  const open = (): Heartbeat => createHeartbeat(systemClock);
  return { notices: open(), interruption: open(), drain: open() };
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
  readonly heartbeat: Heartbeat;
}

/** Not before it is certain that the Node is this machine's. */
async function poll(
  notices: Notices,
  { runtime, nodeSync, loop, metrics, heartbeat }: PollParts,
  signal: AbortSignal,
): Promise<void> {
  await untilKnown(() => nodeSync.state.instance && nodeSync.state.node, signal);
  const { log, contextFor } = runtime;
  const deps = {
    notices,
    clock: systemClock,
    log,
    contextFor,
    heartbeat,
    onPoll: (result: NoticePoll) => {
      metrics.polled(result.unread.length === 0 ? 'success' : 'partial');
      loop.polled(result);
    },
    onFailure: () => {
      metrics.polled('error');
      loop.pollFailed();
    },
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

/** The same rules as for a sync. */
function isOwn(node: Node, cloud: NodeCloud, instance: Parameters<typeof namesInstance>[1] | undefined): boolean {
  if (whyUnmanaged(node) !== undefined || whyForeign(node, cloud) !== undefined) return false;
  return instance === undefined || namesInstance(node, instance);
}
