import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { parseIsoDate } from '../../../lib/parse-date.ts';
import type { Notice } from '../../cloud.ts';

/** One part of the metadata service that announces something. Paths are below `/latest/meta-data/`. */
export interface NoticeSource {
  readonly name: string;
  readonly path: string;
  /** How often it is read. */
  readonly everyMs: number;
  /** Pure. `text`: `undefined` if the service has no such value. Throws a `Failure` if nothing of it can be read. */
  parse(text: string | undefined, wallMs: number): ParsedNotices;
}

export interface ParsedNotices {
  readonly notices: readonly Notice[];
  /** Absent: all of the text could be read. */
  readonly failure?: Failure;
}

const none: ParsedNotices = { notices: [] };

/** As often as those of Azure: no drain begins before a notice is read. */
const urgentMs = 1_000;
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

const spotNoticeMs = 120_000;

/**
 * `{"action": "terminate", "time": "2017-09-18T08:22:00Z"}`, two minutes ahead; 404 without a notice. Before a hibernation
 * the notice comes when it begins. The two minutes count even if the clock of this machine is late.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
 */
function parseSpotAction(text: string | undefined): ParsedNotices {
  if (text === undefined) return none;
  const { action, time } = recordIn(text, 'spot action');
  if (typeof action !== 'string' || action === '') throw invalid('spot action');
  const timeText = typeof time === 'string' ? time : '';
  const notice: Notice = {
    id: `spot/${action}/${timeText}`,
    source: 'spot',
    effect: 'ends',
    state: action === 'hibernate' ? 'started' : 'announced',
    ...timeOf(parseIsoDate(timeText)),
    withinMs: spotNoticeMs,
    onlyThisInstance: true,
    vendorText: `spot interruption: ${action}${timeText === '' ? '' : ` at ${timeText}`}`,
  };
  return { notices: [notice] };
}

/**
 * `{"noticeTime": "2020-10-27T08:22:00Z"}`; 404 without one.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/rebalance-recommendations.html
 */
function parseRebalance(text: string | undefined): ParsedNotices {
  if (text === undefined) return none;
  const { noticeTime } = recordIn(text, 'rebalance recommendation');
  if (typeof noticeTime !== 'string') throw invalid('rebalance recommendation');
  const notice: Notice = {
    id: `rebalance/${noticeTime}`,
    source: 'rebalance',
    effect: 'may-end',
    state: 'announced',
    onlyThisInstance: true,
    vendorText: `EC2 rebalance recommendation of ${noticeTime}`,
  };
  return { notices: [notice] };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instances-status-check_sched.html */
const effectOfCode: Readonly<Record<string, Notice['effect']>> = {
  'instance-stop': 'ends',
  'instance-retirement': 'ends',
  'instance-reboot': 'restarts',
  'system-reboot': 'restarts',
  'system-maintenance': 'pauses',
};

/** A list; past events stay in it as `completed` or `canceled`. One that cannot be read hides no other. */
function parseScheduledEvents(text: string | undefined, wallMs: number): ParsedNotices {
  if (text === undefined) return none;
  const events = parseJson(text);
  if (!Array.isArray(events)) throw invalid('list of scheduled events');
  const readable = events.filter((event) => isScheduledEvent(event));
  return {
    notices: readable.filter(({ State }) => State === 'active').map((event) => toNotice(event, wallMs)),
    ...(readable.length < events.length && { failure: invalid('scheduled event') }),
  };
}

interface ScheduledEvent extends Readonly<Record<string, unknown>> {
  readonly EventId: string;
  readonly Code: string;
  readonly State: string;
}

function isScheduledEvent(event: unknown): event is ScheduledEvent {
  return isRecord(event) && [event['EventId'], event['Code'], event['State']].every((text) => typeof text === 'string');
}

/** An event of an unknown kind is reported, as a pause is. */
function toNotice({ EventId, Code, NotBefore, Description }: ScheduledEvent, wallMs: number): Notice {
  const atMs = scheduledTime(NotBefore);
  return {
    id: EventId,
    source: 'scheduled-events',
    effect: effectOfCode[Code] ?? 'pauses',
    state: atMs !== undefined && atMs <= wallMs ? 'started' : 'announced',
    ...timeOf(atMs),
    onlyThisInstance: true,
    vendorText: [Code, textOf(NotBefore, ' not before '), textOf(Description, ': ')].join(''),
  };
}

/** `21 Jan 2019 09:00:43 GMT` */
function scheduledTime(text: unknown): number | undefined {
  const isDate = typeof text === 'string' && /^\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const ms = isDate ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
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

const lifecycleState = /^(?:[A-Z][A-Za-z]{1,30}:)?[A-Z][A-Za-z]{1,30}$/;

function parseLifecycleState(text: string | undefined): ParsedNotices {
  if (text === undefined) return none;
  if (!lifecycleState.test(text)) throw invalid('Auto Scaling lifecycle state');
  if (!leavingStates.has(text)) return none;
  const notice: Notice = {
    id: `auto-scaling/${text}`,
    source: 'auto-scaling',
    effect: 'ends',
    state: 'started',
    onlyThisInstance: true,
    vendorText: `Auto Scaling target lifecycle state ${text}`,
  };
  return { notices: [notice] };
}

function timeOf(atMs: number | undefined): Pick<Notice, 'atMs'> {
  return atMs === undefined ? {} : { atMs };
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
