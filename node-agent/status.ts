import type { Clock } from '../lib/clock.ts';
import type { Instance } from '../lib/node/instance.ts';
import { isUninitialized } from '../lib/node/read-node.ts';
import type { BrokerStatus } from './broker/broker.ts';
import type { Standing } from './keeper/standing.ts';
import type { NodeSync } from './node-sync.ts';
import type { Turn } from './keeper/turn.ts';

/** What the agent is doing, for people and for `status --json`. */
export interface Status {
  readonly node: string;
  /** Nothing is written to the API server. */
  readonly dryRun: boolean;
  /** Absent: not found out yet. */
  readonly cloud?: string;
  readonly state: 'not-synced' | 'no-node' | 'not-initialised' | 'left-alone' | 'differs' | 'failing' | 'true';
  /** Why it is not `true`. */
  readonly reason?: string;
  readonly instance?: Instance;
  readonly metadataReadSecondsAgo?: number;
  readonly apiServerHeardSecondsAgo?: number;
  /** Absent: no logins are handed out, because nobody wants it. */
  readonly broker?: BrokerStatus;
}

export interface StatusSources {
  readonly nodeName: string;
  readonly dryRun: boolean;
  /** Absent: the agent only serves logins. */
  readonly nodeSync: Pick<NodeSync, 'standing' | 'apiServerHeardAtMs'> | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  brokerStatus(): BrokerStatus | undefined;
}

export function statusOf({ nodeName, dryRun, nodeSync, clock, brokerStatus }: StatusSources): Status {
  const broker = brokerStatus();
  return {
    node: nodeName,
    dryRun,
    ...(nodeSync === undefined ? { state: 'not-synced' } : nodeStatusOf(nodeSync, clock)),
    ...(broker !== undefined && { broker }),
  };
}

function nodeStatusOf(
  { standing, apiServerHeardAtMs }: NonNullable<StatusSources['nodeSync']>,
  clock: StatusSources['clock'],
): Omit<Status, 'node' | 'dryRun' | 'broker'> {
  const { cloud, instance, readAtMs } = standing;
  const ago = (atMs: number): number => Math.round((clock.monotonicMs() - atMs) / 1_000);
  const heardAtMs = apiServerHeardAtMs();
  return {
    ...(cloud !== undefined && { cloud: cloud.name }),
    ...stateOf(standing),
    ...(instance !== undefined && { instance }),
    ...(readAtMs !== undefined && { metadataReadSecondsAgo: ago(readAtMs) }),
    ...(heardAtMs !== undefined && { apiServerHeardSecondsAgo: ago(heardAtMs) }),
  };
}

function stateOf({ node, turn }: Readonly<Standing>): Pick<Status, 'state' | 'reason'> {
  if (node === undefined) return { state: 'no-node', reason: 'the API server has told of no Node of this name' };
  const reason = reasonOf(turn);
  if (turn?.kind === 'left-alone') return { state: 'left-alone', ...reason };
  if (isUninitialized(node)) return { state: 'not-initialised', ...reason };
  if (turn?.kind === 'planned') return { state: 'differs', ...reason };
  return turn?.kind === 'true' ? { state: 'true' } : { state: 'failing', ...reason };
}

function reasonOf(turn: Turn | undefined): Pick<Status, 'reason'> {
  if (turn?.kind === 'left-alone') return { reason: turn.why };
  if (turn?.kind === 'failed') return { reason: `${turn.reason}: ${turn.message}` };
  if (turn?.kind === 'planned') return { reason: `would ${turn.changes.join(', ')}` };
  return turn === undefined ? { reason: 'not looked at yet' } : {};
}

const words: Readonly<Record<Status['state'], string>> = {
  'not-synced': 'not synced, as --node-sync=false says',
  'no-node': 'there is no such Node',
  'not-initialised': 'not initialised',
  'left-alone': 'left alone',
  differs: 'not true to its machine',
  failing: 'in trouble',
  true: 'true to its machine',
};

export function statusText({ node, dryRun, cloud, state, reason, instance, broker, ...ago }: Status): string {
  const { metadataReadSecondsAgo: read, apiServerHeardSecondsAgo: heard } = ago;
  const because = reason === undefined ? '' : ` (${reason})`;
  const aboutNode = [
    `cloud: ${cloud ?? 'not found out yet'}`,
    ...(instance === undefined ? [] : instanceLines(instance)),
    `metadata: ${read === undefined ? 'never read' : `read ${read} s ago`}`,
    `API server: ${heard === undefined ? 'never heard' : `heard ${heard} s ago`}`,
  ];
  return [
    ...(dryRun ? ['dry run: nothing is written to the API server'] : []),
    `node: ${node}: ${words[state]}${because}`,
    ...(state === 'not-synced' ? [] : aboutNode),
    ...(broker === undefined ? [] : brokerLines(broker)),
    '',
  ].join('\n');
}

function brokerLines({ socket, problem, logins }: BrokerStatus): readonly string[] {
  const kept = logins.map(({ registry, identity, expiresAt }) => `  ${registry} (${identity}), until ${expiresAt}`);
  const because = problem === undefined ? '' : `, not served: ${problem}`;
  return [`broker: ${kept.length} ${kept.length === 1 ? 'login' : 'logins'} at ${socket}${because}`, ...kept];
}

function instanceLines({ providerId, type, zone, addresses }: Instance): readonly string[] {
  const rest = [type, zone].filter((part) => part !== undefined).join(', ');
  return [
    `instance: ${providerId}${rest === '' ? '' : ` (${rest})`}`,
    `addresses: ${addresses.map((each) => `${each.type} ${each.address}`).join(', ') || 'none'}`,
  ];
}
