import { errorAnswer, foreignAnswer, oddAnswer, rightAnswer } from './bodies.ts';
import type { Home, Message } from './message.ts';
import type { Random } from '../../support/random.ts';
import { createRandom } from '../../support/random.ts';
import { brokenly, plainly } from './wire.ts';
import type { RawAnswer, RawRequest, Script, Service } from './raw-servers.ts';
import { services } from './raw-servers.ts';

/** How far the servers of one case are from what clouds promise. */
export interface Mood {
  /** How many answers are not what they should be. */
  readonly oddity: number;
  /** Only so many answers of each service are odd, those after them are right. */
  readonly oddAnswersMost: number;
  readonly mayHang: boolean;
  /** An executable really waits where it is asked to. */
  readonly mayAskToWait: boolean;
}

/**
 * Each answer hangs on nothing but the label, the service, how often it was asked and the time, so that a case can be
 * repeated; the same request is answered the same, so that checks can read what was said.
 */
export function scriptFor(label: string, mood: Mood, home: Home): Script {
  const said = new WeakMap<RawRequest, RawAnswer>();
  return (request) => {
    const random = createRandom(`${label} ${request.service} ${request.count}`);
    const answer = said.get(request) ?? answerTo(request, random, mood, home);
    said.set(request, answer);
    return answer;
  };
}

function answerTo(request: RawRequest, random: Random, mood: Mood, home: Home): RawAnswer {
  const isOdd = random.chance(mood.oddity) && request.count <= mood.oddAnswersMost;
  if (isOdd) return oddly(random, request, mood);
  const foreign = foreignAnswer(request, home);
  if (foreign === 'nobody') return { parts: [], end: 'close' };
  return plainly(foreign ?? rightAnswer(random, request));
}

function oddly(random: Random, request: RawRequest, mood: Mood): RawAnswer {
  return random.weigh<() => RawAnswer>([
    [6, () => brokenly(random, rightAnswer(random, request), mood)],
    [7, () => plainly(oddAnswer(random, request))],
    [4, () => plainly(errorAnswer(random, request))],
    [2, () => brokenly(random, errorAnswer(random, request), mood)],
    [2, () => brokenly(random, oddAnswer(random, request), mood)],
    [1, () => plainly(mixedUp(random, request))],
  ])();
}

/** What somebody else would have been answered, or the same one elsewhere. */
function mixedUp(random: Random, request: RawRequest): Message {
  const service: Service = random.pick(services);
  return rightAnswer(random, { ...request, service, path: random.pick(['/', '/x', request.path]) });
}
