import type { CloudEntry } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { configuredHttp } from '../../lib/http/configured-http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Http } from '../../lib/http/http.ts';
import { NetworkError } from '../../lib/http/network-error.ts';
import { answerRequest } from '../../lib/image-login/answer-request.ts';
import { clean, failureLines } from '../../lib/image-login/failure-line.ts';
import type { Catalogue, Found } from '../../lib/image-login/find-registry.ts';
import { logIn } from '../../lib/image-login/log-in.ts';
import type { Identity, Login } from '../../lib/image-login/registry.ts';
import { createLog } from '../../lib/log/log.ts';
import type { Log } from '../../lib/log/log.ts';
import { brokerLimits, dropInNames } from '../../schemas/broker.ts';
import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { Declined } from './declined.ts';
import { hostOfFrontEnd } from './host-of-front-end.ts';
import type { HostView } from './host-of-front-end.ts';
import { logInBy } from './log-in.ts';
import type { Desk } from './log-in.ts';
import type { LoginSlots } from './logins/login-slots.ts';
import { parseQuestion } from './wire/parse-question.ts';
import type { Question } from './wire/parse-question.ts';
import type { Reply } from './wire/print-reply.ts';
import { within } from './within.ts';

/** What all questions have in common. */
export interface Office extends Desk {
  readonly clouds: readonly CloudEntry[];
  readonly host: Host;
  readonly random: () => number;
  readonly log: Log;
  /** Ends all that is under way. */
  readonly signal: AbortSignal;
  readonly slots: LoginSlots;
  openHttp(settings: HttpSettings): Http;
  readConfig(): Promise<Config>;
}

/** In whose name the kubelet is told of a failure. */
const programName = 'polycloud-credential-provider';
/** A wait in line included, the reason is known before `brokerLimits.answerMs` is over. */
const longestLoginMs = 15_000;
/** The front end asks only when there are none: they choose an identity, an endpoint, a proxy or whom to trust. */
const settingsOfFrontEnd = {};

/** What the full program would answer on this host, or word that it should do so itself. Never rejects. */
export async function answerQuestion(text: string, office: Office): Promise<Reply> {
  const secrets: string[] = [];
  const notes: string[] = [];
  try {
    const work = async (): Promise<CredentialProviderResponse> => answer(text, { secrets, notes }, office);
    const response = await within(brokerLimits.answerMs, office.clock, work, () => tooLate(brokerLimits.answerMs, ''));
    for (const note of notes) office.log.info(`Broker: ${clean(note, secrets)}`);
    return { outcome: 'answer', text: JSON.stringify(response) };
  } catch (error) {
    return replyTo(error, notes, secrets, office.log);
  }
}

interface Said {
  readonly secrets: string[];
  readonly notes: string[];
}

async function answer(text: string, { secrets, notes }: Said, office: Office): Promise<CredentialProviderResponse> {
  const request = requestIn(parseQuestion(text));
  const view = hostOfFrontEnd(office.host);
  const world = { env: settingsOfFrontEnd, host: view.host };
  const response = await answerRequest(request, {
    clock: office.clock,
    keepSecret: (value) => void secrets.push(value),
    openCatalogue: async () => ({ clouds: office.clouds, world, config: await office.readConfig() }),
    logIn: async (found, as, catalogue) => {
      const run = async (): Promise<Login> => askCloud({ found, as, catalogue, view, notes }, office);
      return logInBy({ found, as, config: catalogue.config, run }, office);
    },
  });
  view.checkComplete();
  return response;
}

function requestIn(question: Question | undefined): string {
  if (question === undefined) throw new Declined('another version of the protocol');
  if (dropInNames.includes(question.baseName)) throw new Declined(`called as ${question.baseName}`);
  return question.request;
}

function replyTo(error: unknown, notes: readonly string[], secrets: readonly string[], log: Log): Reply {
  if (error instanceof Declined) return { outcome: 'decline', text: clean(error.message, secrets) };
  const text = failureLines(programName, error, notes, secrets).trimEnd();
  log.error('Broker: no login', { err: text.split('\n', 1)[0] });
  return { outcome: isHosts(error) ? 'failure' : 'decline', text };
}

/** A mistake of our own the full program may not make, and whom the host trusts is not known in here. */
function isHosts(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return !(error.cause instanceof NetworkError && error.cause.reason === 'untrusted');
}

interface Asking {
  readonly found: Found;
  readonly as: Identity;
  readonly catalogue: Catalogue;
  readonly view: HostView;
  readonly notes: string[];
}

/** One of few at the same time, and with an end, whatever the cloud does. */
function askCloud({ found, as, catalogue, view, notes }: Asking, office: Office): Promise<Login> {
  const { clock, random, log, openHttp } = office;
  const ground = { env: settingsOfFrontEnd, host: view.host, openHttp };
  let lastStep = '';
  const ask = async (signal: AbortSignal): Promise<Login> => {
    const login = await logIn(found, as, catalogue, {
      signal: AbortSignal.any([office.signal, signal]),
      deadlineAtMs: clock.monotonicMs() + longestLoginMs,
      http: await configuredHttp(catalogue.config.caFile, ground),
      clock,
      random,
      log: createLog(({ verbosity, message }) => {
        if (verbosity === 0) return void notes.push(message);
        lastStep = message;
        log.verbose(`Broker: ${clean(message, [])}`);
      }),
    });
    view.checkComplete();
    return login;
  };
  return office.slots.run(() => within(longestLoginMs, clock, ask, () => tooLate(longestLoginMs, lastStep)));
}

/** In the words of the full program, which takes longer. */
function tooLate(afterMs: number, lastStep: string): Failure {
  const last = lastStep === '' ? '' : `, last: ${lastStep}`;
  return new Failure('unavailable', `no answer within ${afterMs / 1_000} s${last}`, {
    remedy: lastStep === '' ? 'look into the log of the agent' : 'check what that step waits for',
  });
}
