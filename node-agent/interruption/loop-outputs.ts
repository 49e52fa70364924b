import { systemClock } from '../../lib/clock.ts';
import { realHost } from '../../lib/host.ts';
import { eventWriter } from '../node-sync/node-client.ts';
import type { AgentFlags } from '../options.ts';
import type { AgentRuntime } from '../runtime.ts';
import { drainNode } from './drain/drain-node.ts';
import { createPodClient } from './drain/pod-client.ts';
import type { InterruptionLoopDeps } from './interruption-loop.ts';
import { createMarksWriter } from './marks-writer.ts';
import { createReporter } from './reporter.ts';
import type { ReporterDeps } from './reporter.ts';
import { sendReport } from './webhook.ts';

type LoopOutputs = Pick<InterruptionLoopDeps, 'clock' | 'log' | 'writer' | 'reporter' | 'drain'>;

/** What the loop does outside of the process: writes of the Node, a drain, reports. */
export function loopOutputs(flags: AgentFlags, runtime: AgentRuntime, signal: AbortSignal): LoopOutputs {
  const { client, log } = runtime;
  return {
    clock: systemClock,
    log,
    writer: createMarksWriter(client, flags.dryRun, signal),
    reporter: createReporter({ log, clock: systemClock, signal, ...reportOutputs(flags, runtime, signal) }),
    drain: openDrain(runtime),
  };
}

/** Watches the pods only while a drain is under way. */
function openDrain({ client, log }: AgentRuntime): LoopOutputs['drain'] {
  const { watch, send } = createPodClient(client, { clock: systemClock, log });
  return async ({ metadata: { name: nodeName } }, request, signal) => {
    const watching = new AbortController();
    try {
      const pods = watch(nodeName, request.alarm, AbortSignal.any([signal, watching.signal]));
      return await drainNode({ ...request, nodeName, clock: systemClock, log, pods, send }, signal);
    } finally {
      watching.abort(new Error('the drain has ended'));
    }
  };
}

/** A dry run reports to the log alone. */
function reportOutputs(
  { dryRun }: AgentFlags,
  { client, config, contextFor }: AgentRuntime,
  signal: AbortSignal,
): Pick<ReporterDeps, 'writeEvent' | 'sendWebhook'> {
  if (dryRun) return { writeEvent: () => Promise.resolve() };
  const { webhook } = config.interruption;
  return {
    writeEvent: eventWriter(client, systemClock, signal),
    ...(webhook !== undefined && {
      sendWebhook: (report) => sendReport(report, webhook, realHost, contextFor(signal)),
    }),
  };
}
