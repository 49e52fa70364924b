import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { LookupResult } from '../../cloud.ts';
import { placeKey } from '../provider-id.ts';
import type { InstancePlace } from '../provider-id.ts';
import { instanceFields } from './list.ts';
import { parseInstance } from './parse.ts';
import type { GcpDescribedInstance } from './parse.ts';
import type { ProjectSession } from './project-session.ts';

/** The result for one place. */
export type PlaceLookup =
  | { readonly status: 'described'; readonly instance: GcpDescribedInstance; readonly by: 'id' | 'list' }
  | Extract<LookupResult, { readonly evidence: string } | { readonly failure: Failure }>;

/** Looks up instances one by one, which is the only way to learn that one does not exist. */
export interface InstanceReader {
  /** One result for each place, by `placeKey`. */
  readAll(places: readonly InstancePlace[]): Promise<ReadonlyMap<string, PlaceLookup>>;
  /** How many instances Google has reported as present or missing. */
  answerCount(): number;
}

/** The rate limit is lower than this allows; it only hides the time of the responses. */
const requestsAtOnce = 10;

export function createInstanceReader(session: ProjectSession, context: Context): InstanceReader {
  let answers = 0;
  let stopped: Failure | undefined;

  /** Once Google throttles, or no time is left, this look-up sends nothing more. */
  async function read(place: InstancePlace): Promise<PlaceLookup> {
    if (stopped !== undefined) return { status: 'unknown', failure: stopped };
    try {
      const lookup = await readInstance(place, session, context);
      answers += 1;
      return lookup;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'throttled' || context.signal.aborted) stopped ??= error;
      return { status: 'unknown', failure: error };
    }
  }

  return {
    readAll: async (places) => {
      const lookups = new Map<string, PlaceLookup>();
      const waiting = new Map(places.map((place) => [placeKey(place), place])).entries();
      const work = async (): Promise<void> => {
        for (const [key, place] of waiting) lookups.set(key, await read(place));
      };
      await Promise.all(Array.from({ length: requestsAtOnce }, work));
      return lookups;
    },
    answerCount: () => answers,
  };
}

async function readInstance(place: InstancePlace, session: ProjectSession, context: Context): Promise<PlaceLookup> {
  const { project, zone, name } = place;
  const path = `zones/${zone}/instances/${name}`;
  const request = { path, query: { fields: instanceFields }, permission: 'compute.instances.get' };
  const response = await session.get(request, context);
  // Of this instance alone: it is no failure of the project.
  if (response.is === 'invalid') return { status: 'unknown', failure: response.failure };
  if (response.is === 'missing') {
    const { resource, failure } = response;
    // A project or a zone that does not exist is no evidence about an instance. A zone is a matter of its own instances.
    if (resource === `projects/${project}/zones/${zone}`) return { status: 'unknown', failure };
    if (resource !== `projects/${project}/${path}`) throw failure;
    return { status: 'not-found', evidence: `the resource ${resource} was not found` };
  }
  const instance = parseInstance(response.json, project);
  if (instance?.zone === zone && instance.name === name) return { status: 'described', instance, by: 'id' };
  throw new Failure('invalid-response', `${response.target} answered with something that is not ${name} in ${zone}`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
