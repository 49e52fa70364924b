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
  readonly session: OpenedSession;
  readonly kept: ReadonlyMap<string, KeptNotices>;
}

interface OpenedSession {
  readonly session: SessionToken;
  /** When one was replaced because it was refused. */
  readonly replacedAtMs?: number | undefined;
}

interface KeptNotices {
  readonly notices: readonly Notice[];
  /** On the monotonic clock. */
  readonly readAgainAtMs: number;
}

const waitMs = 1_000;
/** Before its end, a session is replaced. */
const sessionRestMs = 60_000;

/** A source may refuse every session. The session is not replaced for that each time. */
const replaceEveryMs = 10_000;

/** Each source is read on its own, so that one that fails hides no other. */
export async function pollNotices(
  cursor: unknown,
  { env }: { readonly env: Environment },
  context: Context,
): Promise<NoticePoll> {
  const { session: known, kept } = (cursor as PollCursor | undefined) ?? { session: undefined, kept: new Map() };
  const opened = known !== undefined && isUsable(known, context) ? known : await openNew(known, env, context);
  const first = await readSources(opened.session, kept, context);
  if (!isRefused(opened, first, context)) return toPoll(opened, first);
  try {
    const next = { session: await openSession(env, context), replacedAtMs: context.clock.monotonicMs() };
    return toPoll(next, await readSources(next.session, kept, context));
  } catch (error) {
    // What was read still counts.
    if (error instanceof Failure && first.some(({ failure }) => failure === undefined)) return toPoll(opened, first);
    throw error;
  }
}

function isUsable({ session }: OpenedSession, { clock }: Context): boolean {
  return session.endsAtMs - clock.monotonicMs() > sessionRestMs;
}

async function openNew(known: OpenedSession | undefined, env: Environment, context: Context): Promise<OpenedSession> {
  return { session: await openSession(env, context), replacedAtMs: known?.replacedAtMs };
}

function isRefused(
  { replacedAtMs = -Infinity }: OpenedSession,
  results: readonly SourceResult[],
  { clock }: Context,
): boolean {
  if (clock.monotonicMs() - replacedAtMs < replaceEveryMs) return false;
  return results.some(({ failure }) => failure?.kind === 'denied');
}

async function openSession(env: Environment, context: Context): Promise<SessionToken> {
  refuseDisabled(env);
  try {
    return await requestSession(env, context);
  } catch (error) {
    throw error instanceof Failure ? withNodeRemedy(error) : error;
  }
}

interface SourceResult extends KeptNotices {
  readonly source: string;
  /** Absent: all of it was read. */
  readonly failure?: Failure;
}

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
  if (kept !== undefined && nowMs < kept.readAgainAtMs) return { source: name, ...kept };
  try {
    const text = await readPath(session, `meta-data/${path}`, context);
    return { source: name, readAgainAtMs: nowMs + everyMs, ...parse(text, context.clock.wallMs()) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { source: name, readAgainAtMs: nowMs, notices: [], failure: withNodeRemedy(error) };
  }
}

/** A source that could not be read is read again in the next poll. */
function toPoll(session: OpenedSession, results: readonly SourceResult[]): NoticePoll {
  const whole = results.filter(({ failure }) => failure === undefined);
  const cursor: PollCursor = { session, kept: new Map(whole.map(({ source, ...rest }) => [source, rest])) };
  return {
    notices: results.flatMap(({ notices }) => notices),
    unread: results.flatMap(({ source, failure }) => (failure === undefined ? [] : [{ source, failure }])),
    cursor,
    waitMs,
  };
}
