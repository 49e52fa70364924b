import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { LookupResult } from '../../cloud.ts';
import type { NovaServer } from '../schemas.ts';
import type { OpenstackSession } from '../session.ts';
import { showServer } from './nova.ts';

/** The result for one id. */
export type ServerIdLookup =
  | { readonly status: 'described'; readonly server: NovaServer; readonly by: 'id' | 'list' }
  /** Nova shows no such server to the credentials of this project. */
  | { readonly status: 'missing'; readonly evidence: string; readonly projectId: string }
  | Extract<LookupResult, { readonly failure: Failure }>;

/** Looks up servers one by one, which is the only way to learn that one does not exist. */
export interface ServerReader {
  /** One result for each id. */
  readAll(ids: readonly string[]): Promise<ReadonlyMap<string, ServerIdLookup>>;
  /** How many servers Nova has reported as present or missing. */
  answerCount(): number;
}

/** The rate limit is lower than this allows; it only hides the time of the responses. */
const requestsAtOnce = 10;
/** At 5 requests a second they take 20 s of the 30 s that a look-up has: so there is time for the list and `verify`. */
const readsMax = 100;

export function createServerReader(session: OpenstackSession, context: Context): ServerReader {
  let answers = 0;
  let stopped: Failure | undefined;

  /** Once OpenStack throttles, or no time is left, this look-up sends nothing more. */
  async function read(id: string): Promise<ServerIdLookup> {
    if (stopped !== undefined) return { status: 'unknown', failure: stopped };
    try {
      const lookup = await showServer(id, session, context);
      answers += 1;
      return lookup.is === 'server'
        ? { status: 'described', server: lookup.server, by: 'id' }
        : { status: 'missing', evidence: lookup.evidence, projectId: lookup.place.projectId };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'throttled' || context.signal.aborted) stopped ??= error;
      return { status: 'unknown', failure: error };
    }
  }

  return {
    readAll: async (ids) => {
      const chosen = chosenNow([...new Set(ids)], context.random);
      const lookups = new Map<string, ServerIdLookup>(ids.map((id) => [id, { status: 'unknown', failure: later() }]));
      const waiting = chosen.values();
      const work = async (): Promise<void> => {
        for (const id of waiting) lookups.set(id, await read(id));
      };
      await Promise.all(Array.from({ length: requestsAtOnce }, work));
      return lookups;
    },
    answerCount: () => answers,
  };
}

/** Other ones each time, so that none waits for ever. */
function chosenNow(ids: readonly string[], random: () => number): readonly string[] {
  if (ids.length <= readsMax) return ids;
  const start = Math.floor(random() * ids.length);
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, readsMax);
}

function later(): Failure {
  return new Failure('unavailable', 'too many servers are missing in the list to request all of them at once', {
    remedy: 'it is requested by one of the next look-ups',
  });
}
