import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { Failure } from '../../../lib/failure.ts';
import { readPath, refuseDisabled, requestSession, withNodeRemedy } from '../metadata/session.ts';
import type { SessionToken } from '../metadata/session.ts';
import type { Notice, NoticePoll } from '../../cloud.ts';
import { noticeSources } from './parse.ts';
import type { NoticeSource } from './parse.ts';

/** Kept from poll to poll: one session serves many of them, and not every source is read each time. */
interface PollCursor {
  readonly session: SessionToken;
  readonly kept: ReadonlyMap<string, KeptNotices>;
}

interface KeptNotices {
  readonly notices: readonly Notice[];
  /** On the monotonic clock. */
  readonly readAgainAtMs: number;
}

const waitMs = 2_000;
/** Before its end, a session is replaced. */
const sessionRestMs = 60_000;

/** Each source is read on its own, so that one that fails hides no other. */
export async function pollNotices(
  cursor: unknown,
  { env }: { readonly env: Environment },
  context: Context,
): Promise<NoticePoll> {
  const { session: known, kept } = (cursor as PollCursor | undefined) ?? { session: undefined, kept: new Map() };
  const isUsable = known !== undefined && known.endsAtMs - context.clock.monotonicMs() > sessionRestMs;
  const session = isUsable ? known : await openSession(env, context);
  const first = await readSources(session, kept, context);
  if (!isUsable || !first.some(hasLostSession)) return toPoll(session, first);
  const next = await openSession(env, context);
  return toPoll(next, await readSources(next, kept, context));
}

async function openSession(env: Environment, context: Context): Promise<SessionToken> {
  refuseDisabled(env);
  try {
    return await requestSession(env, context);
  } catch (error) {
    throw error instanceof Failure ? withNodeRemedy(error) : error;
  }
}

type SourceResult = { readonly source: string } & (
  ({ readonly kind: 'read' } & KeptNotices) | { readonly kind: 'unread'; readonly failure: Failure }
);

function readSources(
  session: SessionToken,
  kept: ReadonlyMap<string, KeptNotices>,
  context: Context,
): Promise<readonly SourceResult[]> {
  return Promise.all(noticeSources.map((source) => readSource(source, session, kept.get(source.name), context)));
}

async function readSource(
  { name, path, everyMs, parse }: NoticeSource,
  session: SessionToken,
  kept: KeptNotices | undefined,
  context: Context,
): Promise<SourceResult> {
  const nowMs = context.clock.monotonicMs();
  if (kept !== undefined && nowMs < kept.readAgainAtMs) return { kind: 'read', source: name, ...kept };
  try {
    const text = await readPath(session, `meta-data/${path}`, context);
    return {
      kind: 'read',
      source: name,
      notices: parse(text, context.clock.wallMs()),
      readAgainAtMs: nowMs + everyMs,
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'unread', source: name, failure: withNodeRemedy(error) };
  }
}

function hasLostSession(result: SourceResult): boolean {
  return result.kind === 'unread' && result.failure.kind === 'denied';
}

/** A source that could not be read is read again in the next poll. */
function toPoll(session: SessionToken, results: readonly SourceResult[]): NoticePoll {
  const read = results.filter((result) => result.kind === 'read');
  const cursor: PollCursor = { session, kept: new Map(read.map(({ source, ...rest }) => [source, rest])) };
  return {
    notices: read.flatMap(({ notices }) => notices),
    unread: results.flatMap((result) =>
      result.kind === 'unread' ? [{ source: result.source, failure: result.failure }] : [],
    ),
    cursor,
    waitMs,
  };
}
