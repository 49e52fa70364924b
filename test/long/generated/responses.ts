import { errorResponse, foreignResponse, oddResponse, rightResponse } from './bodies.ts';
import type { HomeCloud, Message } from './message.ts';
import type { Random } from '../../support/random.ts';
import { createRandom } from '../../support/random.ts';
import { brokenResponse, plainResponse } from './wire.ts';
import type { RawResponse, RawRequest, Script, Service } from './raw-servers.ts';
import { services } from './raw-servers.ts';

/** How far the servers of one case are from what clouds promise. */
export interface ServerBehavior {
  /** How many answers are not what they should be. */
  readonly oddShare: number;
  /** Only so many answers of each service are odd, those after them are right. */
  readonly oddResponsesMax: number;
  readonly mayHang: boolean;
  /** An executable really waits where it is asked to. */
  readonly mayAskToWait: boolean;
}

/**
 * Each answer hangs on nothing but the label, the service, how often it was asked and the time, so that a case can be
 * repeated; the same request gets the same response, so that checks can read it.
 */
export function scriptFor(label: string, behavior: ServerBehavior, home: HomeCloud): Script {
  const responses = new WeakMap<RawRequest, RawResponse>();
  return (request) => {
    const random = createRandom(`${label} ${request.service} ${request.count}`);
    const answer = responses.get(request) ?? respondTo(request, random, behavior, home);
    responses.set(request, answer);
    return answer;
  };
}

function respondTo(request: RawRequest, random: Random, behavior: ServerBehavior, home: HomeCloud): RawResponse {
  const isOdd = random.chance(behavior.oddShare) && request.count <= behavior.oddResponsesMax;
  if (isOdd) return unexpectedResponse(random, request, behavior);
  const foreign = foreignResponse(request, home);
  if (foreign === 'nobody') return { parts: [], end: 'close' };
  return plainResponse(foreign ?? rightResponse(random, request));
}

function unexpectedResponse(random: Random, request: RawRequest, behavior: ServerBehavior): RawResponse {
  return random.pickWeighted<() => RawResponse>([
    [6, () => brokenResponse(random, rightResponse(random, request), behavior)],
    [7, () => plainResponse(oddResponse(random, request))],
    [4, () => plainResponse(errorResponse(random, request))],
    [2, () => brokenResponse(random, errorResponse(random, request), behavior)],
    [2, () => brokenResponse(random, oddResponse(random, request), behavior)],
    [1, () => plainResponse(swappedResponse(random, request))],
  ])();
}

/** The response for another request, or for the same request elsewhere. */
function swappedResponse(random: Random, request: RawRequest): Message {
  const service: Service = random.pick(services);
  return rightResponse(random, { ...request, service, path: random.pick(['/', '/x', request.path]) });
}
