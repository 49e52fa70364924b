import type { Clock } from '../lib/clock.ts';
import type { Instance } from '../clouds/index.ts';
import { isUninitialized } from '../lib/node/read-node.ts';
import type { BrokerStatus } from './broker/broker.ts';
import type { AgentState } from './node-sync/agent-state.ts';
import type { DrainProgress } from './interruption/drain/drain-node.ts';
import type { NodeSync } from './node-sync/node-sync.ts';
import type { SyncResult } from './node-sync/sync-node.ts';

/** What the agent is doing, for people and for `status --json`. */
export interface AgentStatus {
  readonly node: string;
  /** Nothing is written to the API server. */
  readonly dryRun: boolean;
  /** Absent: not detected yet. */
  readonly cloud?: string;
  readonly state: 'not-synced' | 'no-node' | 'not-initialised' | 'left-alone' | 'differs' | 'failing' | 'in-sync';
  /** Why `state` is not `in-sync`. */
  readonly reason?: string;
  readonly instance?: Instance;
  readonly metadataReadSecondsAgo?: number;
  readonly apiServerHeardSecondsAgo?: number;
  /** Absent: no notice is known. */
  readonly interruption?: InterruptionStatus;
  /** Absent: the agent does not serve logins. */
  readonly broker?: BrokerStatus;
}

export interface InterruptionStatus {
  /** The most urgent one first. */
  readonly notices: readonly string[];
  readonly drain?: DrainProgress;
}

export interface AgentStatusSources {
  readonly nodeName: string;
  readonly dryRun: boolean;
  /** Absent: the agent only serves logins. */
  readonly nodeSync: Pick<NodeSync, 'state' | 'lastApiContactAtMs'> | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  brokerStatus(): BrokerStatus | undefined;
  interruptionStatus?(): InterruptionStatus | undefined;
}

export function statusOf(sources: AgentStatusSources): AgentStatus {
  const { nodeName, dryRun, nodeSync, clock } = sources;
  const broker = sources.brokerStatus();
  const interruption = sources.interruptionStatus?.();
  return {
    node: nodeName,
    dryRun,
    ...(nodeSync === undefined ? { state: 'not-synced' } : nodeStatusOf(nodeSync, clock)),
    ...(interruption !== undefined && { interruption }),
    ...(broker !== undefined && { broker }),
  };
}

function nodeStatusOf(
  { state, lastApiContactAtMs }: NonNullable<AgentStatusSources['nodeSync']>,
  clock: AgentStatusSources['clock'],
): Omit<AgentStatus, 'node' | 'dryRun' | 'interruption' | 'broker'> {
  const { cloud, instance, readAtMs } = state;
  const ago = (atMs: number): number => Math.round((clock.monotonicMs() - atMs) / 1_000);
  const lastContactAtMs = lastApiContactAtMs();
  return {
    ...(cloud !== undefined && { cloud: cloud.name }),
    ...stateOf(state),
    ...(instance !== undefined && { instance }),
    ...(readAtMs !== undefined && { metadataReadSecondsAgo: ago(readAtMs) }),
    ...(lastContactAtMs !== undefined && { apiServerHeardSecondsAgo: ago(lastContactAtMs) }),
  };
}

function stateOf({ node, lastResult }: Readonly<AgentState>): Pick<AgentStatus, 'state' | 'reason'> {
  if (node === undefined) return { state: 'no-node', reason: 'the API server has no Node of this name' };
  const reason = reasonOf(lastResult);
  if (lastResult?.kind === 'left-alone') return { state: 'left-alone', ...reason };
  if (isUninitialized(node)) return { state: 'not-initialised', ...reason };
  if (lastResult?.kind === 'planned') return { state: 'differs', ...reason };
  return lastResult?.kind === 'synced' ? { state: 'in-sync' } : { state: 'failing', ...reason };
}

function reasonOf(result: SyncResult | undefined): Pick<AgentStatus, 'reason'> {
  if (result?.kind === 'left-alone') return { reason: result.why };
  if (result?.kind === 'failed') return { reason: `${result.reason}: ${result.message}` };
  if (result?.kind === 'planned') return { reason: `would ${result.changes.join(', ')}` };
  return result === undefined ? { reason: 'not checked yet' } : {};
}

const stateTexts: Readonly<Record<AgentStatus['state'], string>> = {
  'not-synced': 'not synced (--node-sync=false)',
  'no-node': 'not found',
  'not-initialised': 'not initialised',
  'left-alone': 'left alone',
  differs: 'not in sync',
  failing: 'failing',
  'in-sync': 'in sync',
};

const wrongStates: ReadonlySet<AgentStatus['state']> = new Set(['no-node', 'not-initialised', 'failing']);

/** Is something wrong? A dry run that differs, and a Node that is left alone, are as configured. */
export function isWell({ state, broker }: AgentStatus): boolean {
  return !wrongStates.has(state) && broker?.problem === undefined;
}

export function statusText(status: AgentStatus): string {
  const { node, dryRun, cloud, state, reason, instance, interruption, broker, ...ago } = status;
  const { metadataReadSecondsAgo: read, apiServerHeardSecondsAgo: heard } = ago;
  const because = reason === undefined ? '' : ` (${reason})`;
  const nodeLines = [
    `cloud: ${cloud ?? 'not detected yet'}`,
    ...(instance === undefined ? [] : instanceLines(instance)),
    `metadata: ${read === undefined ? 'never read' : `read ${read} s ago`}`,
    `API server: ${heard === undefined ? 'no response yet' : `last response ${heard} s ago`}`,
  ];
  return [
    ...(dryRun ? ['dry run: nothing is written to the API server'] : []),
    `node: ${node}: ${stateTexts[state]}${because}`,
    ...(state === 'not-synced' ? [] : nodeLines),
    ...(interruption === undefined ? [] : interruptionLines(interruption)),
    ...(broker === undefined ? [] : brokerLines(broker)),
    '',
  ].join('\n');
}

function interruptionLines({ notices, drain }: InterruptionStatus): readonly string[] {
  const drainLine = drain && `drain: ${drain.remaining} pods remain, ${drain.blocked.length} protected by budgets`;
  return [...notices.map((notice) => `notice: ${notice}`), ...(drainLine === undefined ? [] : [drainLine])];
}

function brokerLines({ socket, problem, leftToHost, logins }: BrokerStatus): readonly string[] {
  const loginLines = logins.map(
    ({ registry, identity, expiresAt }) => `  ${registry} (${identity}), until ${expiresAt}`,
  );
  const because = problem === undefined ? '' : `, not served: ${problem}`;
  if (leftToHost === true) return [`broker: that of the host serves ${socket}`];
  return [
    `broker: ${loginLines.length} ${loginLines.length === 1 ? 'login' : 'logins'} at ${socket}${because}`,
    ...loginLines,
  ];
}

function instanceLines({ providerId, type, zone, addresses }: Instance): readonly string[] {
  const rest = [type, zone].filter((part) => part !== undefined).join(', ');
  return [
    `instance: ${providerId}${rest === '' ? '' : ` (${rest})`}`,
    `addresses: ${addresses.map((each) => `${each.type} ${each.address}`).join(', ') || 'none'}`,
  ];
}
