import type { CloudEntry } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { configuredHttp } from '../../lib/http/configured-http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Http } from '../../lib/http/http.ts';
import { NetworkError } from '../../lib/http/network-error.ts';
import { answerRequest } from '../../lib/registry-login/answer-request.ts';
import { redact, failureLines } from '../../lib/registry-login/failure-line.ts';
import type { ConfiguredClouds, ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import { logIn } from '../../lib/registry-login/log-in.ts';
import type { Identity, Login } from '../../lib/registry-login/registry.ts';
import { createLog } from '../../lib/log/log.ts';
import type { Log } from '../../lib/log/log.ts';
import { brokerLimits, emulatedProviderNames } from '../../schemas/broker.ts';
import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { Declined } from './declined.ts';
import { frontEndHost } from './front-end-host.ts';
import type { HostView } from './front-end-host.ts';
import { cachedLogin } from './cached-login.ts';
import type { LoginDeps } from './cached-login.ts';
import type { LoginSlots } from './logins/login-slots.ts';
import { parseBrokerRequest } from './socket/parse-broker-request.ts';
import type { BrokerRequest } from './socket/parse-broker-request.ts';
import type { BrokerResponse } from './socket/print-response.ts';
import { withTimeout } from './with-timeout.ts';

/** What all questions have in common. */
export interface BrokerDeps extends LoginDeps {
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
const frontEndEnvironment = {};

/** What the full program would answer on this host, or word that it should do so itself. Never rejects. */
export async function handleRequest(text: string, deps: BrokerDeps): Promise<BrokerResponse> {
  const secrets: string[] = [];
  const notes: string[] = [];
  try {
    const work = async (): Promise<CredentialProviderResponse> => respond(text, { secrets, notes }, deps);
    const response = await withTimeout(brokerLimits.answerMs, deps.clock, work, () =>
      timeoutFailure(brokerLimits.answerMs, ''),
    );
    for (const note of notes) deps.log.info(`Broker: ${redact(note, secrets)}`);
    return { outcome: 'answer', text: JSON.stringify(response) };
  } catch (error) {
    return failureResponse(error, notes, secrets, deps.log);
  }
}

interface FailureDetails {
  readonly secrets: string[];
  readonly notes: string[];
}

async function respond(
  text: string,
  { secrets, notes }: FailureDetails,
  deps: BrokerDeps,
): Promise<CredentialProviderResponse> {
  const request = kubeletRequestIn(parseBrokerRequest(text));
  const view = frontEndHost(deps.host);
  const runtime = { env: frontEndEnvironment, host: view.host };
  const response = await answerRequest(request, {
    clock: deps.clock,
    registerSecret: (value) => void secrets.push(value),
    configureClouds: async () => ({ clouds: deps.clouds, runtime, config: await deps.readConfig() }),
    logIn: async (resolved, identity, configuredClouds) => {
      const run = async (): Promise<Login> => logInAtCloud({ resolved, identity, configuredClouds, view, notes }, deps);
      return cachedLogin({ resolved, identity, config: configuredClouds.config, run }, deps);
    },
  });
  view.checkComplete();
  return response;
}

function kubeletRequestIn(brokerRequest: BrokerRequest | undefined): string {
  if (brokerRequest === undefined) throw new Declined('another version of the protocol');
  if (emulatedProviderNames.includes(brokerRequest.baseName)) throw new Declined(`called as ${brokerRequest.baseName}`);
  return brokerRequest.request;
}

function failureResponse(
  error: unknown,
  notes: readonly string[],
  secrets: readonly string[],
  log: Log,
): BrokerResponse {
  if (error instanceof Declined) return { outcome: 'decline', text: redact(error.message, secrets) };
  const text = failureLines(programName, error, notes, secrets).trimEnd();
  log.error('Broker: no login', { err: text.split('\n', 1)[0] });
  return { outcome: isHostFailure(error) ? 'failure' : 'decline', text };
}

/** A mistake of our own the full program may not make, and whom the host trusts is not known in here. */
function isHostFailure(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return !(error.cause instanceof NetworkError && error.cause.reason === 'untrusted');
}

interface CloudLogin {
  readonly resolved: ResolvedRegistry;
  readonly identity: Identity;
  readonly configuredClouds: ConfiguredClouds;
  readonly view: HostView;
  readonly notes: string[];
}

/** One of few at the same time, and with an end, whatever the cloud does. */
function logInAtCloud(
  { resolved, identity, configuredClouds, view, notes }: CloudLogin,
  deps: BrokerDeps,
): Promise<Login> {
  const { clock, random, log, openHttp } = deps;
  const httpRuntime = { env: frontEndEnvironment, host: view.host, openHttp };
  let lastStep = '';
  const ask = async (signal: AbortSignal): Promise<Login> => {
    const login = await logIn(resolved, identity, configuredClouds, {
      signal: AbortSignal.any([deps.signal, signal]),
      deadlineAtMs: clock.monotonicMs() + longestLoginMs,
      http: await configuredHttp(configuredClouds.config.caFile, httpRuntime),
      clock,
      random,
      log: createLog(({ verbosity, message }) => {
        if (verbosity === 0) return void notes.push(message);
        lastStep = message;
        log.debug(`Broker: ${redact(message, [])}`);
      }),
    });
    view.checkComplete();
    return login;
  };
  return deps.slots.run(() => withTimeout(longestLoginMs, clock, ask, () => timeoutFailure(longestLoginMs, lastStep)));
}

/** In the words of the full program, which takes longer. */
function timeoutFailure(afterMs: number, lastStep: string): Failure {
  const last = lastStep === '' ? '' : `, last: ${lastStep}`;
  return new Failure('unavailable', `no answer within ${afterMs / 1_000} s${last}`, {
    remedy: lastStep === '' ? 'look into the log of the agent' : 'check what that step waits for',
  });
}
