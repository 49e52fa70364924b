import type { Message } from './bodies.ts';
import { errorAnswer, oddAnswer, rightAnswer } from './bodies.ts';
import type { Random } from './random.ts';
import { createRandom } from './random.ts';
import { brokenly, plainly } from './wire.ts';
import type { RawAnswer, RawRequest, Script, Service } from './raw-servers.ts';
import { services } from './raw-servers.ts';

/** How far the servers of one case are from what AWS promises. */
export interface Mood {
  /** How many answers are not what they should be. */
  readonly oddity: number;
  /** Only so many answers of each service are odd, those after them are right. */
  readonly oddAnswersMost: number;
  readonly mayHang: boolean;
}

/** Each answer hangs on nothing but the label, the service and how often it was asked, so that a case can be repeated. */
export function scriptFor(label: string, mood: Mood): Script {
  return (request) => {
    const random = createRandom(`${label} ${request.service} ${request.count}`);
    const isOdd = random.chance(mood.oddity) && request.count <= mood.oddAnswersMost;
    return isOdd ? oddly(random, request, mood.mayHang) : plainly(rightAnswer(random, request));
  };
}

function oddly(random: Random, request: RawRequest, mayHang: boolean): RawAnswer {
  return random.weigh<() => RawAnswer>([
    [6, () => brokenly(random, rightAnswer(random, request), mayHang)],
    [4, () => plainly(oddAnswer(random, request))],
    [4, () => plainly(errorAnswer(random, request))],
    [2, () => brokenly(random, errorAnswer(random, request), mayHang)],
    [2, () => brokenly(random, oddAnswer(random, request), mayHang)],
    [1, () => plainly(mixedUp(random, request))],
  ])();
}

/** What somebody else would have been answered, or the same one elsewhere. */
function mixedUp(random: Random, request: RawRequest): Message {
  const service: Service = random.pick(services);
  return rightAnswer(random, { ...request, service, path: random.pick(['/', '/x', request.path]) });
}
