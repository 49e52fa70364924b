import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { Failure } from '../../../lib/failure.ts';
import { bodyText } from '../../../lib/http/ask.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import type { NoticePoll } from '../../cloud.ts';
import { askMetadataServer, readMetadata } from '../metadata/session.ts';
import { noticeKeys } from './parse.ts';
import type { NoticeKey } from './parse.ts';

interface PollCursor {
  readonly onHostMaintenance: string;
  readonly known: ReadonlyMap<string, KnownValue>;
}

interface KnownValue {
  readonly text: string | undefined;
  /** The server holds the next request until it has another one. Absent: it sent none. */
  readonly etag: string | undefined;
  readonly seenAtMs: number;
}

/** The server holds a request so long, and responds at once when the value changes. */
const heldSeconds = 30;
const totalMs = 5_000;
/** Between requests that are held. */
const shortWaitMs = 100;
/** If the server does not hold requests, as in front of some pods. */
const waitMs = 2_000;
const shortestHoldMs = 1_000;

/**
 * Holds one request for each key. The first change ends the others, so that none of them delays it: 30 s before a
 * preemption every second counts.
 */
export async function pollNotices(
  cursor: unknown,
  { env }: { readonly env: Environment },
  context: Context,
): Promise<NoticePoll> {
  const before = cursor as PollCursor | undefined;
  const onHostMaintenance = before?.onHostMaintenance ?? (await readPolicy(env, context));
  const startedAtMs = context.clock.monotonicMs();
  const changed = new AbortController();
  const held = { ...context, signal: AbortSignal.any([context.signal, changed.signal]) };
  const results = await Promise.all(
    noticeKeys.map(async (key) => {
      const known = before?.known.get(key.source);
      const result = await readKey(key, known, env, known?.etag === undefined ? context : held);
      if (hasChanged(result, known)) changed.abort(new Error('a value has changed'));
      return result;
    }),
  );
  context.signal.throwIfAborted();
  const wasHeld = context.clock.monotonicMs() - startedAtMs >= shortestHoldMs;
  const isQuick = before === undefined || changed.signal.aborted || wasHeld;
  return toPoll(results, onHostMaintenance, isQuick ? shortWaitMs : waitMs);
}

async function readPolicy(env: Environment, context: Context): Promise<string> {
  return (await readMetadata('instance/scheduling/on-host-maintenance', env, context)) ?? 'MIGRATE';
}

type KeyResult = { readonly key: NoticeKey } & (
  { readonly kind: 'read'; readonly value: KnownValue } | { readonly kind: 'unread'; readonly failure: Failure }
);

function hasChanged(result: KeyResult, known: KnownValue | undefined): boolean {
  return result.kind === 'read' && known !== undefined && result.value.text !== known.text;
}

/** A held request that a change of another key ended keeps its value. */
async function readKey(
  key: NoticeKey,
  known: KnownValue | undefined,
  env: Environment,
  context: Context,
): Promise<KeyResult> {
  try {
    const response = await askForValue(key, known?.etag, env, context);
    const text = textIn(response, context.clock.wallMs());
    const seenAtMs = known !== undefined && known.text === text ? known.seenAtMs : context.clock.wallMs();
    return { key, kind: 'read', value: { text, etag: response.headers['etag'], seenAtMs } };
  } catch (error) {
    if (context.signal.aborted && known !== undefined) return { key, kind: 'read', value: known };
    if (error instanceof Failure) return { key, kind: 'unread', failure: error };
    throw error;
  }
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

function toPoll(results: readonly KeyResult[], onHostMaintenance: string, nextWaitMs: number): NoticePoll {
  const parsed = results.map((result) => parseResult(result, onHostMaintenance));
  const read = results.filter((result) => result.kind === 'read');
  const known = new Map(read.map(({ key, value }) => [key.source, value]));
  return {
    notices: parsed.flatMap(({ notices }) => notices),
    unread: parsed.flatMap(({ unread }) => unread),
    cursor: { onHostMaintenance, known } satisfies PollCursor,
    waitMs: read.length === 0 ? waitMs : nextWaitMs,
  };
}

function parseResult(result: KeyResult, onHostMaintenance: string): Pick<NoticePoll, 'notices' | 'unread'> {
  const { source, parse } = result.key;
  if (result.kind === 'unread') return { notices: [], unread: [{ source, failure: result.failure }] };
  const { text, seenAtMs } = result.value;
  try {
    return { notices: parse(text, { seenAtMs, onHostMaintenance }), unread: [] };
  } catch (failure) {
    if (failure instanceof Failure) return { notices: [], unread: [{ source, failure }] };
    throw failure;
  }
}
