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

interface PollCursor {
  /** Of this machine, as events name it. */
  readonly ownName: string;
}

/** As Azure recommends: a preemption is announced 30 s ahead. */
const waitMs = 1_000;
const eventsPath = '/metadata/scheduledevents?api-version=2020-07-01';
/** The first request turns the feature on, which may take two minutes. Later ones respond at once. */
const firstTotalMs = 30_000;
const totalMs = 5_000;

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
  return {
    notices: parseScheduledEvents(bodyText(response), ownName),
    unread: [],
    cursor: { ownName } satisfies PollCursor,
    waitMs,
  };
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
