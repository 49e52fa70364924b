import type { LabRequest, LabResponse } from '../cloud.ts';
import type { LabCloud } from '../lab-cloud.ts';
import type { AzureState, ScheduledEvent } from './state.ts';
import { json } from './tokens.ts';

/** The document gets these events in place of its own. */
export async function setScheduledEvents(
  azure: Pick<LabCloud<AzureState>, 'state' | 'update'>,
  events: readonly ScheduledEvent[],
): Promise<void> {
  const { incarnation } = (await azure.state()).scheduledEvents;
  await azure.update({ scheduledEvents: { incarnation: incarnation + 1, events } });
}

const versions = ['2020-07-01', '2019-08-01', '2019-04-01', '2019-01-01'];

/** A machine reads them, and lets an event start before its time. */
export function scheduledEvents(request: LabRequest, version: string | null, state: AzureState): LabResponse {
  if (!versions.includes(version ?? '')) return json(400, { error: 'Bad request. api-version is invalid' });
  if (request.method === 'POST') return startEvents(request.body, state);
  const { incarnation, events } = state.scheduledEvents;
  return json(200, { DocumentIncarnation: incarnation, Events: events });
}

/** It starts for all of its machines, whichever of them asks. */
function startEvents(body: string, state: AzureState): LabResponse {
  const ids = idsIn(body);
  const { incarnation, events } = state.scheduledEvents;
  const isKnown = (id: string): boolean => events.some(({ EventId }) => EventId === id);
  if (ids === undefined || !ids.every(isKnown)) return json(400, { error: 'Bad request. The event is unknown' });
  const started = events.map((event): ScheduledEvent =>
    ids.includes(event.EventId) ? { ...event, EventStatus: 'Started', NotBefore: '' } : event,
  );
  state.scheduledEvents = { incarnation: incarnation + 1, events: started };
  return { status: 200, headers: {}, body: '' };
}

function idsIn(body: string): readonly string[] | undefined {
  try {
    const { StartRequests } = JSON.parse(body) as { StartRequests: readonly { EventId: string }[] };
    return StartRequests.map(({ EventId }) => EventId);
  } catch {
    return undefined;
  }
}
