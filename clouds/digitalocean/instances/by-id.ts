import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { LookupResult } from '../../cloud.ts';
import { OneDroplet } from '../schemas.ts';
import type { ApiDroplet } from '../schemas.ts';
import type { TeamSession } from './team-session.ts';

/** The result for one id. */
export type DropletLookup =
  | { readonly status: 'described'; readonly droplet: ApiDroplet; readonly by: 'id' | 'list' }
  | Extract<LookupResult, { readonly evidence: string } | { readonly failure: Failure }>;

/** Looks up Droplets one by one, which is the only way to learn that one does not exist. */
export interface DropletReader {
  /** One result for each id. */
  readAll(dropletIds: readonly string[]): Promise<ReadonlyMap<string, DropletLookup>>;
  /** How many Droplets DigitalOcean has reported as present or missing. */
  answerCount(): number;
}

/** The rate limit is lower than this allows; it only hides the time of the responses. */
const requestsAtOnce = 10;

export function createDropletReader(session: TeamSession, context: Context): DropletReader {
  let answers = 0;
  let stopped: Failure | undefined;

  /** Once DigitalOcean throttles, or no time is left, this look-up sends nothing more. */
  async function read(dropletId: string): Promise<DropletLookup> {
    if (stopped !== undefined) return { status: 'unknown', failure: stopped };
    try {
      const lookup = await readDroplet(dropletId, session, context);
      answers += 1;
      return lookup;
    } catch (error) {
      const failure = asFailure(error, context);
      if (failure.kind === 'throttled' || context.signal.aborted) stopped ??= failure;
      return { status: 'unknown', failure };
    }
  }

  return {
    readAll: async (dropletIds) => {
      const lookups = new Map<string, DropletLookup>();
      const waiting = new Set(dropletIds).values();
      const work = async (): Promise<void> => {
        for (const dropletId of waiting) lookups.set(dropletId, await read(dropletId));
      };
      await Promise.all(Array.from({ length: requestsAtOnce }, work));
      return lookups;
    },
    answerCount: () => answers,
  };
}

async function readDroplet(dropletId: string, session: TeamSession, context: Context): Promise<DropletLookup> {
  const { response, token } = await session.readDroplet(dropletId, context);
  if (response.is === 'missing') return { status: 'not-found', evidence: `the Droplet ${dropletId} was not found` };
  const droplet = OneDroplet.safeParse(response.json).data?.droplet;
  if (droplet === undefined || String(droplet.id) !== dropletId) {
    throw new Failure('invalid-response', `${response.target} answered with something that is not ${dropletId}`, {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
    });
  }
  session.foundNode(token);
  return { status: 'described', droplet, by: 'id' };
}

/** The end of the look-up's time takes no result away that was there before. */
function asFailure(error: unknown, { signal }: Context): Failure {
  if (error instanceof Failure) return error;
  if (!signal.aborted) throw error;
  return new Failure('unavailable', 'the time of the look-up was over before DigitalOcean had answered', {
    remedy: 'it is asked again; if this stays, check the way to the cloud and its health',
    cause: error,
  });
}
