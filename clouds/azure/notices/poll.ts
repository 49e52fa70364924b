import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { Failure } from '../../../lib/failure.ts';
import { bodyText } from '../../../lib/http/ask.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Notice, NoticePoll } from '../../cloud.ts';
import { metadataFailure } from '../errors.ts';
import { readInstanceDocument } from '../metadata/documents.ts';
import { askMetadata, metadataService } from '../metadata/session.ts';
import { parseScheduledEvents } from './parse.ts';
import type { ParsedEvents } from './parse.ts';

interface PollCursor {
  /** Of this machine, as events name it. */
  readonly ownName: string;
  /** Of the newest document. */
  readonly incarnation?: number | undefined;
  /** Since when, on the monotonic clock, only older documents come. */
  readonly olderSinceMs?: number | undefined;
}

/** As Azure recommends: a preemption is announced 30 s ahead. */
const waitMs = 1_000;
const eventsPath = '/metadata/scheduledevents?api-version=2020-07-01';
/** The first request turns the feature on, which may take two minutes. Later ones respond at once. */
const firstTotalMs = 30_000;
const totalMs = 5_000;
/** Then the older documents are the right ones: the machine has moved to another host, which counts anew. */
const longestOlderMs = 30_000;

/** There is one source. It throws if that cannot be read. */
export async function pollNotices(
  cursor: unknown,
  { env }: { readonly env: Environment },
  context: Context,
): Promise<NoticePoll> {
  const known = cursor as PollCursor | undefined;
  const ownName = known?.ownName ?? (await readOwnName(env, context));
  const limits = { totalMs: known === undefined ? firstTotalMs : totalMs };
  const response = await askMetadata(eventsPath, env, context, limits);
  if (response.status !== 200) {
    throw metadataFailure(response, { target: metadataService, as: 'this machine' }, context.clock.wallMs());
  }
  return toPoll(parseScheduledEvents(bodyText(response), ownName), { ...known, ownName }, context.clock.monotonicMs());
}

/** A document that is older than the last one withdraws nothing: it may lack an event that was announced meanwhile. */
function toPoll({ notices, incarnation, failure }: ParsedEvents, before: PollCursor, nowMs: number): NoticePoll {
  const isOlder = incarnation !== undefined && before.incarnation !== undefined && incarnation < before.incarnation;
  const olderSinceMs = isOlder ? (before.olderSinceMs ?? nowMs) : undefined;
  const isStale = olderSinceMs !== undefined && nowMs - olderSinceMs < longestOlderMs;
  const problem = isStale ? staleEvents() : failure;
  return {
    notices,
    unread: problem === undefined ? [] : [{ source: 'scheduled-events', failure: problem }],
    cursor: isStale
      ? { ...before, olderSinceMs }
      : { ownName: before.ownName, incarnation: incarnation ?? before.incarnation },
    waitMs,
  };
}

function staleEvents(): Failure {
  return new Failure('invalid-response', `${metadataService} returned scheduled events that are older than before`, {
    remedy: 'it should pass within 30 s',
  });
}

/** In a scale set `<set>_<number>`, like in events. */
async function readOwnName(env: Environment, context: Context): Promise<string> {
  const document = parseJson(await readInstanceDocument(env, context)) as
    { readonly compute?: { readonly name?: unknown } } | null | undefined;
  const name = document?.compute?.name;
  if (typeof name === 'string' && name !== '') return name;
  throw new Failure('invalid-response', `${metadataService} does not return the name of this machine`, {
    remedy: 'check that nothing else answers in its place',
  });
}

/** Lets the event start now. Azure starts it for all of its machines. */
export async function acknowledge(
  { id }: Notice,
  { env }: { readonly env: Environment },
  context: Context,
): Promise<void> {
  const body = JSON.stringify({ StartRequests: [{ EventId: id }] });
  const response = await askMetadata(eventsPath, env, context, { totalMs, body });
  if (response.status === 200) return;
  throw metadataFailure(response, { target: metadataService, as: 'this machine' }, context.clock.wallMs());
}
