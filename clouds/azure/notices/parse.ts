import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { parseHttpDate, parseIsoDate } from '../../../lib/parse-date.ts';
import type { Notice } from '../../cloud.ts';

/** `Redeploy` moves the machine to another host, where it starts again without its temporary disk. */
const effectOfType: Readonly<Record<string, Notice['effect']>> = {
  Freeze: 'pauses',
  Reboot: 'restarts',
  Redeploy: 'restarts',
  Preempt: 'ends',
  Terminate: 'ends',
};

export interface ParsedEvents {
  readonly notices: readonly Notice[];
  /** Rises when the events change. Absent: the service gave none. */
  readonly incarnation?: number;
  /** Absent: all events could be read. */
  readonly failure?: Failure;
}

/**
 * The events of this machine. All machines of a scale set or availability set get the events of each other. An event that
 * cannot be read hides no other. Pure.
 * https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events
 */
export function parseScheduledEvents(text: string, ownName: string): ParsedEvents {
  const document = parseJson(text);
  const { Events: events, DocumentIncarnation: incarnation } = isRecord(document) ? document : {};
  if (!Array.isArray(events)) throw invalidEvents();
  const readable = events.filter((event) => isScheduledEvent(event));
  const isOwn = ({ Resources }: ScheduledEvent): boolean => namesOf(Resources).has(ownName.toLowerCase());
  return {
    notices: readable.filter(isOwn).map((event) => toNotice(event)),
    ...(Number.isSafeInteger(incarnation) && { incarnation: incarnation as number }),
    ...(readable.length < events.length && { failure: invalidEvents() }),
  };
}

interface ScheduledEvent extends JsonObject {
  readonly EventId: string;
  readonly EventType: string;
  readonly Resources: readonly string[];
}

function isScheduledEvent(event: unknown): event is ScheduledEvent {
  if (!isRecord(event)) return false;
  const { EventId: id, EventType: type, Resources: resources } = event;
  return typeof id === 'string' && typeof type === 'string' && isTextList(resources);
}

function namesOf(resources: readonly string[]): ReadonlySet<string> {
  return new Set(resources.map((name) => name.toLowerCase()));
}

function toNotice(event: ScheduledEvent): Notice {
  const { EventId: id, EventType: type, EventStatus: status, Resources: resources, NotBefore: notBefore } = event;
  // Blank once the event has started.
  const atMs = parseHttpDate(notBefore) ?? parseIsoDate(notBefore);
  return {
    id,
    source: 'scheduled-events',
    // An event of a kind that is new is reported, as a pause is.
    effect: effectOfType[type] ?? 'pauses',
    state: status === 'Started' ? 'started' : 'announced',
    ...(atMs !== undefined && { atMs }),
    onlyThisInstance: namesOf(resources).size === 1,
    vendorText: vendorText(type, event),
  };
}

function vendorText(type: string, { NotBefore, Description, EventSource, DurationInSeconds }: JsonObject): string {
  const details = [
    ...(typeof EventSource === 'string' && EventSource !== '' ? [`by ${EventSource}`] : []),
    ...(typeof NotBefore === 'string' && NotBefore !== '' ? [`not before ${NotBefore}`] : []),
    ...(typeof DurationInSeconds === 'number' && DurationInSeconds >= 0 ? [`for ${DurationInSeconds} s`] : []),
  ];
  const description = typeof Description === 'string' && Description !== '' ? `: ${Description}` : '';
  return `${[type, ...details].join(' ')}${description}`;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function invalidEvents(): Failure {
  return new Failure('invalid-response', 'the instance metadata service returned invalid scheduled events', {
    remedy: 'check that nothing else answers in its place',
  });
}
