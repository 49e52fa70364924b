import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { scheduledEventsPath, spotPath } from './fixture.ts';

/** What the metadata service has from one hour to the next, and how that shows on the Node. */
export interface DayStep {
  readonly documents: Readonly<Record<string, string | null>>;
  readonly look: NodeLook;
}

export type NodeLook = 'unmarked' | 'reported' | 'advised' | 'drained';

/** Each is announced in one hour and withdrawn or over in the next one: 12 of them in a day. */
type Announcement = (agentMs: number, hour: number) => readonly [announced: DayStep, over: DayStep];

const announcements = {
  rebalance: (agentMs) => {
    const path = 'meta-data/events/recommendations/rebalance';
    return [
      announce({ [path]: JSON.stringify({ noticeTime: isoSeconds(agentMs) }) }, 'advised'),
      over({ [path]: null }),
    ];
  },
  reboot: scheduled('system-reboot', 'advised', 'canceled'),
  maintenance: scheduled('system-maintenance', 'reported', 'completed'),
  spot: (agentMs) => {
    const text = JSON.stringify({ action: 'terminate', time: isoSeconds(agentMs + spotNoticeMs) });
    return [announce({ [spotPath]: text }, 'drained'), over({ [spotPath]: null })];
  },
  lifecycle: () => {
    const path = 'meta-data/autoscaling/target-lifecycle-state';
    return [announce({ [path]: 'Terminated' }, 'drained'), over({ [path]: 'InService' })];
  },
} satisfies Readonly<Record<string, Announcement>>;

const spotNoticeMs = 120_000;
const daysAheadMs = 3 * 24 * 3_600_000;

const day: readonly (keyof typeof announcements)[] = [
  ...(['rebalance', 'reboot', 'spot', 'rebalance', 'maintenance', 'rebalance'] as const),
  ...(['lifecycle', 'reboot', 'rebalance', 'maintenance', 'spot', 'rebalance'] as const),
];

export const hoursOfDay = 2 * day.length;

/** `agentMs`: the time of day as the agent has it. */
export function stepOf(hour: number, agentMs: number): DayStep {
  const name = day[Math.floor(hour / 2) % day.length] ?? 'rebalance';
  const [announced, ended] = announcements[name](agentMs, hour - (hour % 2));
  return hour % 2 === 0 ? announced : ended;
}

/** The marks of a Node with each look. */
const marksOf: Readonly<Record<NodeLook, string>> = {
  unmarked: '',
  reported: 'condition, state',
  advised: 'condition, state, PreferNoSchedule',
  drained: 'condition, state, finished, cordon, NoSchedule',
};

/** Whether the Node shows that all of a step has been done. */
export function hasLook({ metadata, spec, status }: Node, look: NodeLook): boolean {
  const condition = status.conditions?.find(({ type }) => type === keys.interruptionCondition);
  const taint = spec.taints?.find(({ key }) => key === keys.interruptionTaint);
  const marks = [
    condition?.status === 'True' && 'condition',
    ...stateMarks(metadata.annotations?.[keys.interruptionState] ?? ''),
    spec.unschedulable === true && 'cordon',
    taint?.effect,
  ];
  return marks.filter((mark) => typeof mark === 'string').join(', ') === marksOf[look];
}

function stateMarks(state: string): readonly (string | false)[] {
  return [state !== '' && 'state', state.includes('"isFinished":true') && 'finished'];
}

function announce(documents: DayStep['documents'], look: NodeLook): DayStep {
  return { documents, look };
}

function over(documents: DayStep['documents']): DayStep {
  return { documents, look: 'unmarked' };
}

/** Past events stay in the list. */
function scheduled(code: string, look: NodeLook, end: 'canceled' | 'completed'): Announcement {
  return (agentMs, hour) => {
    const event = (state: string): string =>
      JSON.stringify([
        {
          NotBefore: scheduledTime(agentMs + daysAheadMs),
          Code: code,
          Description: 'The instance is running on degraded hardware',
          EventId: `instance-event-0123456789abcde${hour.toString(16).padStart(2, '0')}`,
          NotAfter: scheduledTime(agentMs + 2 * daysAheadMs),
          State: state,
        },
      ]);
    return [announce({ [scheduledEventsPath]: event('active') }, look), over({ [scheduledEventsPath]: event(end) })];
  };
}

/** Without milliseconds, as AWS writes it. */
function isoSeconds(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** `21 Jan 2019 09:00:43 GMT` */
function scheduledTime(atMs: number): string {
  return new Date(atMs).toUTCString().replace(/^\w+, 0?/, '');
}
