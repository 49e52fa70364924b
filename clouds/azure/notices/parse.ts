import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Notice } from '../../cloud.ts';

/** `Redeploy` moves the machine to another host, where it starts again without its temporary disk. */
const effectOfType: Readonly<Record<string, Notice['effect']>> = {
  Freeze: 'pauses',
  Reboot: 'restarts',
  Redeploy: 'restarts',
  Preempt: 'ends',
  Terminate: 'ends',
};

/**
 * The events of this machine. All machines of a scale set or availability set get the events of each other. Pure.
 * https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events
 */
export function parseScheduledEvents(text: string, ownName: string): readonly Notice[] {
  const document = parseJson(text);
  const events = isRecord(document) ? document['Events'] : undefined;
  if (!Array.isArray(events)) throw invalidEvents();
  return events.flatMap((event: unknown) => parseEvent(event, ownName.toLowerCase()));
}

function parseEvent(event: unknown, ownName: string): readonly Notice[] {
  if (!isRecord(event)) throw invalidEvents();
  const { EventId: id, EventType: type, EventStatus: status, Resources: resources, NotBefore: notBefore } = event;
  if (typeof id !== 'string' || typeof type !== 'string' || !isTextList(resources)) throw invalidEvents();
  const names = new Set(resources.map((name) => name.toLowerCase()));
  if (!names.has(ownName)) return [];
  // Blank once the event has started.
  const atMs = typeof notBefore === 'string' ? Date.parse(notBefore) : Number.NaN;
  return [
    {
      id,
      source: 'scheduled-events',
      // An event of a kind that is new is reported, as a pause is.
      effect: effectOfType[type] ?? 'pauses',
      state: status === 'Started' ? 'started' : 'announced',
      ...(!Number.isNaN(atMs) && { atMs }),
      onlyThisInstance: names.size === 1,
      vendorText: vendorText(type, event),
    },
  ];
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
