import type { Notice, NoticePoll } from '../../../clouds/cloud.ts';
import { Failure } from '../../../lib/failure.ts';
import type { NodeEvent } from '../../../lib/node/node-event.ts';
import { createMetrics } from '../../../lib/metrics/metrics.ts';
import { createAlarm } from '../../../node-agent/interruption/alarm.ts';
import { drainNode } from '../../../node-agent/interruption/drain/drain-node.ts';
import type { DrainPod } from '../../../node-agent/interruption/drain/drain-pod.ts';
import { createHeartbeat } from '../../../node-agent/interruption/heartbeat.ts';
import type { Heartbeat } from '../../../node-agent/interruption/heartbeat.ts';
import { createInterruptionLoop } from '../../../node-agent/interruption/interruption-loop.ts';
import type { InterruptionLoop } from '../../../node-agent/interruption/interruption-loop.ts';
import type { MarksPatch } from '../../../node-agent/interruption/plan-marks.ts';
import { createInterruptionMetrics } from '../../../node-agent/interruption/metrics.ts';
import { createReporter } from '../../../node-agent/interruption/reporter.ts';
import type { InterruptionSettings } from '../../../node-agent/interruption/settings.ts';
import { keys } from '../../../schemas/keys.ts';
import type { Node, NodeCondition } from '../../../schemas/kubernetes.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { logInto } from '../../support/logs.ts';
import { nodeWith } from '../node-object.ts';
import { createFakePods } from './drain/fake-pods.ts';
import type { FakePods } from './drain/fake-pods.ts';
import { defaultSettings, nowMs } from './notices.ts';

/** A machine with one Node, its pods and an API server. It outlives the agents that are started on it. */
export interface Machine {
  readonly clock: FakeClock;
  readonly pods: FakePods;
  /** `watched`: what the watch has delivered, if it is late. */
  readonly api: {
    node: Node;
    watched: Node | undefined;
    fails: Error | undefined;
    /** No request has a response until the limit of 10 s. */
    hangs: boolean;
    isOwn: boolean;
    eventsFail: boolean;
    acknowledgeFails: boolean;
  };
  readonly conditions: NodeCondition[];
  readonly events: NodeEvent[];
  readonly lines: string[];
  readonly acknowledged: string[];
  readonly acknowledgements: { count: number };
  /** Patches of the Node that the API server accepted, and all. */
  readonly patches: MarksPatch[];
  readonly patchRequests: { count: number };
  /** All about the Node and its events. */
  readonly requests: { count: number };
  /** Changes the Node as another writer. */
  change(change: (node: Node) => Node): void;
  startAgent(settings?: InterruptionSettings, isDryRun?: boolean): RunningAgent;
}

export interface RunningAgent {
  readonly loop: InterruptionLoop;
  /** What the metadata service has, as one poll. */
  announce(notices: readonly Notice[], unread?: readonly string[]): void;
  metrics(): string;
  /** Of the loop, and of the drain. */
  readonly heartbeats: readonly Heartbeat[];
  stop(): Promise<void>;
}

export function createMachine(pods: readonly DrainPod[]): Machine {
  const clock = createFakeClock(nowMs);
  const podAlarm = createAlarm(clock);
  let agent: (RunningAgent & { ringDrain(): void }) | undefined;
  const ringing = { ...podAlarm, ring: () => agent?.ringDrain() };
  const fakePods = createFakePods(pods, ringing, clock);
  const api: Machine['api'] = {
    node: nodeWith({}),
    watched: undefined,
    fails: undefined,
    hangs: false,
    isOwn: true,
    eventsFail: false,
    acknowledgeFails: false,
  };
  const [conditions, events, lines, acknowledged, patches]: [
    NodeCondition[],
    NodeEvent[],
    string[],
    string[],
    MarksPatch[],
  ] = [[], [], [], [], []];
  const patchRequests = { count: 0 };
  const requests = { count: 0 };
  let agentSignal = new AbortController().signal;
  const acknowledgements = { count: 0 };
  const put = (node: Node): Node => {
    const resourceVersion = String(Number(api.node.metadata.resourceVersion) + 1);
    api.node = { ...node, metadata: { ...node.metadata, resourceVersion } };
    agent?.loop.nodeChanged();
    return api.node;
  };
  const respond = async <T>(result: () => T): Promise<T> => {
    requests.count += 1;
    await Promise.resolve();
    if (api.hangs) {
      await clock.sleep(10_000, agentSignal);
      throw new Error('the limit of 10 s');
    }
    if (api.fails !== undefined) throw api.fails;
    return result();
  };

  function startAgent(settings = defaultSettings, isDryRun = false): RunningAgent {
    const ending = new AbortController();
    agentSignal = ending.signal;
    const log = logInto((line) => void lines.push(line));
    const metrics = createMetrics();
    let ringDrain = (): void => {};
    const [heartbeat, drainHeartbeat] = [createHeartbeat(clock), createHeartbeat(clock)];
    const loop: InterruptionLoop = createInterruptionLoop({
      settings,
      clock,
      log,
      heartbeat,
      drainHeartbeat,
      metrics: createInterruptionMetrics(metrics, {
        assessed: () => loop.decision()?.assessed ?? [],
        deadlineAtMs: () => loop.drain.order()?.deadlineAtMs,
        progress: () => loop.drain.progress(),
      }),
      reporter: createReporter({
        log,
        clock,
        signal: ending.signal,
        writeEvent: (_node, event) =>
          isDryRun
            ? Promise.resolve()
            : respond(() => {
                if (api.eventsFail) throw new Error('no events');
                events.push(event);
              }),
      }),
      writer: {
        read: () => respond(() => api.node),
        patch: (_node, patch) =>
          respond(() => {
            patchRequests.count += 1;
            if (isDryRun) return 'not-written';
            if (patch.metadata.resourceVersion !== api.node.metadata.resourceVersion) return 'conflict';
            patches.push(patch);
            return put(patched(api.node, patch));
          }),
        setCondition: (_node, condition) =>
          respond(() => {
            if (isDryRun) return;
            conditions.push(condition);
            put({ ...api.node, status: { ...api.node.status, conditions: [condition] } });
          }),
      },
      node: () => api.watched ?? api.node,
      isOwn: () => api.isOwn,
      acknowledge: (notice) => {
        acknowledgements.count += 1;
        if (api.acknowledgeFails) return Promise.reject(new Error('not now'));
        return respond(() => void acknowledged.push(notice.id));
      },
      drain: ({ metadata: { name } }, request, signal) => {
        ringDrain = request.alarm.ring;
        const deps = { ...request, nodeName: name, clock, log, send: fakePods.send };
        return drainNode({ ...deps, pods: () => [...fakePods.pods.values()] }, signal);
      },
    });
    const running = loop.run(ending.signal);
    const started = {
      loop,
      ringDrain: () => ringDrain(),
      announce: (notices: readonly Notice[], unread: readonly string[] = []) => loop.polled(pollOf(notices, unread)),
      metrics: () => metrics.text(),
      heartbeats: [heartbeat, drainHeartbeat],
      stop: async () => {
        ending.abort(new Error('SIGTERM'));
        await running;
      },
    };
    agent = started;
    return started;
  }

  return {
    clock,
    pods: fakePods,
    api,
    conditions,
    events,
    lines,
    acknowledged,
    acknowledgements,
    patches,
    patchRequests,
    requests,
    change: (change) => void put(change(api.node)),
    startAgent,
  };
}

function pollOf(notices: readonly Notice[], unread: readonly string[]): NoticePoll {
  const failure = new Failure('unavailable', 'it is down', { remedy: 'wait' });
  return { notices, unread: unread.map((source) => ({ source, failure })), cursor: undefined, waitMs: 2_000 };
}

/** As the API server merges. */
function patched(node: Node, { metadata, spec }: MarksPatch): Node {
  const annotations = Object.entries({ ...node.metadata.annotations, ...metadata.annotations });
  const present = annotations.filter((entry): entry is [string, string] => entry[1] !== null);
  const { unschedulable, ...others } = { ...node.spec, ...spec };
  return {
    ...node,
    metadata: { ...node.metadata, annotations: Object.fromEntries(present) },
    spec: { ...others, ...(unschedulable === true && { unschedulable }) },
  };
}

/** Our marks on a Node. */
export function markText({ spec }: Node): string {
  const ours = (spec.taints ?? []).filter(({ key }) => key === keys.interruptionTaint);
  const taints = ours.map(({ value, effect }) => `${String(value)}:${effect}`);
  return [...taints, ...(spec.unschedulable === true ? ['cordon'] : [])].join(' ');
}

export function reasonsOf({ events }: Machine): readonly string[] {
  return events.map(({ reason }) => reason);
}
