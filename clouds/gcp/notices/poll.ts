import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { Failure } from '../../../lib/failure.ts';
import { bodyText } from '../../../lib/http/ask.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import type { Notice, NoticePoll } from '../../cloud.ts';
import { askMetadataServer } from '../metadata/session.ts';
import { noticeKeys } from './parse.ts';
import type { NoticeKey } from './parse.ts';

interface PollCursor {
  /** Those that were read in the last poll, by source. */
  readonly known: ReadonlyMap<string, KnownValue>;
}

interface KnownValue {
  readonly text: string | undefined;
  /** The server holds the next request until it has another one. Absent: it sent none. */
  readonly etag: string | undefined;
  readonly notices: readonly Notice[];
}

/** The server holds a request so long, and responds at once when the value changes. */
const heldSeconds = 30;
/** It is on the same host, so it responds within milliseconds or not at all. */
const totalMs = 2_000;
/** Between requests that are held. */
const shortWaitMs = 100;
/** After a change that came at once: the value may change all the time. */
const changeWaitMs = 500;
/** After a failure, or if the server does not hold requests, as in front of some pods. */
const waitMs = 2_000;
const shortestHoldMs = 1_000;

/**
 * Holds one request for each key. The first news end the others, so that none of them delays it: 30 s before a preemption
 * every second counts. As long as a value is unknown, no request is held.
 */
export async function pollNotices(
  cursor: unknown,
  { env }: { readonly env: Environment },
  context: Context,
): Promise<NoticePoll> {
  const { known } = (cursor as PollCursor | undefined) ?? { known: new Map<string, KnownValue>() };
  const startedAtMs = context.clock.monotonicMs();
  const isHolding = noticeKeys.every(({ source }) => known.has(source));
  const ending = new AbortController();
  const held = { ...context, signal: AbortSignal.any([context.signal, ending.signal]) };
  const results = await Promise.all(
    noticeKeys.map(async (key) => {
      const before = known.get(key.source);
      const result = await readKey(key, before, env, { context: held, isHolding });
      if (isNews(result, before, isHolding)) ending.abort(new Error('there is news'));
      return result;
    }),
  );
  context.signal.throwIfAborted();
  const wasHeld = context.clock.monotonicMs() - startedAtMs >= shortestHoldMs;
  const hasFailed = results.some(({ kind }) => kind === 'unread');
  if (isHolding ? wasHeld : !hasFailed) return toPoll(results, shortWaitMs);
  return toPoll(results, ending.signal.aborted && !hasFailed ? changeWaitMs : waitMs);
}

type KeyResult = { readonly key: NoticeKey } & (
  { readonly kind: 'read'; readonly value: KnownValue } | { readonly kind: 'unread'; readonly failure: Failure }
);

/** A failure ends only requests that are held. Others would never be read beside a key that fails at once. */
function isNews(result: KeyResult, before: KnownValue | undefined, isHolding: boolean): boolean {
  if (result.kind === 'unread') return isHolding;
  return before !== undefined && result.value.text !== before.text;
}

interface ReadOptions {
  readonly context: Context;
  readonly isHolding: boolean;
}

/** A request that news of another key ended keeps its value. */
async function readKey(
  key: NoticeKey,
  before: KnownValue | undefined,
  env: Environment,
  { context, isHolding }: ReadOptions,
): Promise<KeyResult> {
  try {
    const response = await askForValue(key, isHolding ? before?.etag : undefined, env, context);
    const text = textIn(response, context.clock.wallMs());
    const isSame = before !== undefined && before.text === text;
    const notices = isSame ? before.notices : await parseValue(key, text, env, context);
    return { key, kind: 'read', value: { text, etag: response.headers['etag'], notices } };
  } catch (error) {
    if (context.signal.aborted) return before ? { key, kind: 'read', value: before } : notReadYet(key);
    if (error instanceof Failure) return { key, kind: 'unread', failure: error };
    throw error;
  }
}

function notReadYet(key: NoticeKey): KeyResult {
  const failure = new Failure('unavailable', `the metadata server has not returned ${key.path} yet`, {
    remedy: 'it should pass',
  });
  return { key, kind: 'unread', failure };
}

/** https://cloud.google.com/compute/docs/metadata/querying-metadata#waitforchange */
function askForValue(
  { path, query = '' }: NoticeKey,
  etag: string | undefined,
  env: Environment,
  context: Context,
): Promise<HttpResponse> {
  if (etag === undefined) return askMetadataServer(`${path}?${query}`, env, context, totalMs);
  const hold = `wait_for_change=true&timeout_sec=${heldSeconds}&last_etag=${encodeURIComponent(etag)}`;
  return askMetadataServer(`${path}?${query}${hold}`, env, context, heldSeconds * 1_000 + totalMs);
}

/** As long as there never was a maintenance, the server answers 503. */
const neverAny = /no notifications have been received/i;

function textIn(response: HttpResponse, wallMs: number): string | undefined {
  const text = bodyText(response).trim();
  if (response.status === 200) return text;
  if (response.status === 404 || (response.status === 503 && neverAny.test(text))) return undefined;
  throw statusFailure('the metadata server', response, wallMs);
}

/** The policy is read only for a value that needs it, so that it delays no other. */
async function parseValue(
  { needsPolicy, parse }: NoticeKey,
  text: string | undefined,
  env: Environment,
  context: Context,
): Promise<readonly Notice[]> {
  const notices = parse(text, undefined);
  return needsPolicy && notices.length > 0 ? parse(text, await readPolicy(env, context)) : notices;
}

async function readPolicy(env: Environment, context: Context): Promise<string | undefined> {
  const response = await askMetadataServer('instance/scheduling/on-host-maintenance', env, context, totalMs);
  return textIn(response, context.clock.wallMs());
}

function toPoll(results: readonly KeyResult[], nextWaitMs: number): NoticePoll {
  const read = results.filter((result) => result.kind === 'read');
  const known = new Map(read.map(({ key, value }) => [key.source, value]));
  return {
    notices: read.flatMap(({ value }) => value.notices),
    unread: results.flatMap((result) =>
      result.kind === 'unread' ? [{ source: result.key.source, failure: result.failure }] : [],
    ),
    cursor: { known } satisfies PollCursor,
    waitMs: nextWaitMs,
  };
}
