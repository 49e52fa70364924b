import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Notice } from '../../cloud.ts';

/** One part of the metadata service that announces something. Paths are below `/latest/meta-data/`. */
export interface NoticeSource {
  readonly name: string;
  readonly path: string;
  /** How often it is read. */
  readonly everyMs: number;
  /** Pure. `text`: `undefined` if the service has no such value. */
  parse(text: string | undefined, wallMs: number): readonly Notice[];
}

const urgentMs = 2_000;
/** Announced days ahead, or without a time. */
const earlyMs = 10_000;

export const noticeSources: readonly NoticeSource[] = [
  { name: 'spot', path: 'spot/instance-action', everyMs: urgentMs, parse: parseSpotAction },
  {
    name: 'rebalance',
    path: 'events/recommendations/rebalance',
    everyMs: earlyMs,
    parse: parseRebalance,
  },
  {
    name: 'scheduled-events',
    path: 'events/maintenance/scheduled',
    everyMs: earlyMs,
    parse: parseScheduledEvents,
  },
  {
    name: 'auto-scaling',
    path: 'autoscaling/target-lifecycle-state',
    everyMs: urgentMs,
    parse: parseLifecycleState,
  },
];

/**
 * `{"action": "terminate", "time": "2017-09-18T08:22:00Z"}`, two minutes ahead; 404 without a notice. Before a hibernation
 * the notice comes when it begins.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
 */
function parseSpotAction(text: string | undefined): readonly Notice[] {
  if (text === undefined) return [];
  const { action, time } = recordIn(text, 'spot action');
  if (typeof action !== 'string' || action === '') throw invalid('spot action');
  const timeText = typeof time === 'string' ? time : '';
  return [
    {
      id: `spot/${action}/${timeText}`,
      source: 'spot',
      effect: 'ends',
      state: action === 'hibernate' ? 'started' : 'announced',
      ...timeOf(Date.parse(timeText)),
      onlyThisInstance: true,
      vendorText: `spot interruption: ${action}${timeText === '' ? '' : ` at ${timeText}`}`,
    },
  ];
}

/**
 * `{"noticeTime": "2020-10-27T08:22:00Z"}`; 404 without one.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/rebalance-recommendations.html
 */
function parseRebalance(text: string | undefined): readonly Notice[] {
  if (text === undefined) return [];
  const { noticeTime } = recordIn(text, 'rebalance recommendation');
  if (typeof noticeTime !== 'string') throw invalid('rebalance recommendation');
  return [
    {
      id: `rebalance/${noticeTime}`,
      source: 'rebalance',
      effect: 'may-end',
      state: 'announced',
      onlyThisInstance: true,
      vendorText: `EC2 rebalance recommendation of ${noticeTime}`,
    },
  ];
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instances-status-check_sched.html */
const effectOfCode: Readonly<Record<string, Notice['effect']>> = {
  'instance-stop': 'ends',
  'instance-retirement': 'ends',
  'instance-reboot': 'restarts',
  'system-reboot': 'restarts',
  'system-maintenance': 'pauses',
};

/** A list; past events stay in it as `completed` or `canceled`. Events of an unknown kind are reported, as a pause is. */
function parseScheduledEvents(text: string | undefined, wallMs: number): readonly Notice[] {
  if (text === undefined) return [];
  const events = parseJson(text);
  if (!Array.isArray(events)) throw invalid('list of scheduled events');
  return events.flatMap((event: unknown) => parseScheduledEvent(event, wallMs));
}

function parseScheduledEvent(event: unknown, wallMs: number): readonly Notice[] {
  if (!isRecord(event)) throw invalid('list of scheduled events');
  const { EventId: id, Code: code, State: state, NotBefore: notBefore, Description: description } = event;
  if (typeof id !== 'string' || typeof code !== 'string' || typeof state !== 'string') {
    throw invalid('list of scheduled events');
  }
  if (state !== 'active') return [];
  const atMs = scheduledTime(notBefore);
  return [
    {
      id,
      source: 'scheduled-events',
      effect: effectOfCode[code] ?? 'pauses',
      state: atMs <= wallMs ? 'started' : 'announced',
      ...timeOf(atMs),
      onlyThisInstance: true,
      vendorText: [code, textOf(notBefore, ' not before '), textOf(description, ': ')].join(''),
    },
  ];
}

/** `21 Jan 2019 09:00:43 GMT` */
function scheduledTime(text: unknown): number {
  const isDate = typeof text === 'string' && /^\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  return isDate ? Date.parse(text) : Number.NaN;
}

/**
 * Where the Auto Scaling group moves the instance to; 404 outside of a group. In the states below it is not in service any
 * more. https://docs.aws.amazon.com/autoscaling/ec2/userguide/retrieving-target-lifecycle-state-through-imds.html
 */
const leavingStates: ReadonlySet<string> = new Set([
  'Terminated',
  'Warmed:Hibernated',
  'Warmed:Stopped',
  'Warmed:Terminated',
]);

function parseLifecycleState(text: string | undefined): readonly Notice[] {
  if (text === undefined || !leavingStates.has(text)) return [];
  return [
    {
      id: `auto-scaling/${text}`,
      source: 'auto-scaling',
      effect: 'ends',
      state: 'started',
      onlyThisInstance: true,
      vendorText: `Auto Scaling target lifecycle state ${text}`,
    },
  ];
}

function timeOf(atMs: number): Pick<Notice, 'atMs'> {
  return Number.isNaN(atMs) ? {} : { atMs };
}

function textOf(value: unknown, before: string): string {
  return typeof value === 'string' && value !== '' ? `${before}${value}` : '';
}

function recordIn(text: string, what: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw invalid(what);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(what: string): Failure {
  return new Failure('invalid-response', `the instance metadata service returned an invalid ${what}`, {
    remedy: 'check that nothing else answers in its place',
  });
}
