import type { CloudEntry, Identity } from '../../clouds/index.ts';
import { failureReasonOf } from '../../lib/failure-reason.ts';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { NetworkError } from '../../lib/http/network-error.ts';
import { printable } from '../../lib/printable.ts';
import { answerRequest } from '../../lib/registry-login/answer-request.ts';
import type { Logins } from '../../lib/registry-login/log-in.ts';
import { failureLines } from '../../lib/registry-login/failure-line.ts';
import { createRedactor } from '../../lib/registry-login/redactor.ts';
import type { Redactor } from '../../lib/registry-login/redactor.ts';
import { brokerLimits, emulatedProviderNames } from '../../schemas/broker.ts';
import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { createCachedLogins } from './cached-logins.ts';
import type { CachedLoginsDeps } from './cached-logins.ts';
import { Declined } from './declined.ts';
import type { LoginFailure } from './failure-reporter.ts';
import { frontEndHost } from './host-views.ts';
import { createLimitedLogins } from './limited-logins.ts';
import type { LimitedLoginsDeps } from './limited-logins.ts';
import { parseBrokerRequest } from './socket/wire-format.ts';
import type { BrokerRequest, BrokerResponse } from './socket/wire-format.ts';
import { readClaims } from './tokens/read-claims.ts';
import { withTimeout } from './with-timeout.ts';

/** What all requests share. */
export interface BrokerDeps extends CachedLoginsDeps, LimitedLoginsDeps {
  readonly clouds: readonly CloudEntry[];
  readonly host: Host;
  readConfig(): Promise<Config>;
  /** The kubelet gets no login, so that its pull fails. */
  onLoginFailure(failure: LoginFailure): void;
}

/** The failure lines of the broker start with the name that the kubelet's log knows. */
const programName = 'polycloud-credential-provider';
/**
 * The front end asks the broker only when none of the variables is set that choose an identity, an endpoint, a proxy or
 * the trusted authorities.
 */
const frontEndEnvironment = {};

/** The response that the full program would give on this host, or that it has to answer itself. Never rejects. */
export async function handleRequest(text: string, deps: BrokerDeps): Promise<BrokerResponse> {
  const details: RequestDetails = { redactor: createRedactor(), notes: [] };
  const { redactor, notes } = details;
  try {
    const work = async (): Promise<CredentialProviderResponse> => respond(text, details, deps);
    const response = await withTimeout(brokerLimits.answerMs, deps.clock, work, () => '');
    for (const note of notes) deps.log.info(`Broker: ${redactor.redact(note)}`);
    return { outcome: 'answer', text: JSON.stringify(response) };
  } catch (error) {
    return failureResponse(error, details, deps);
  }
}

interface RequestDetails {
  readonly redactor: Redactor;
  readonly notes: string[];
  /** Once it is known. */
  login?: Pick<LoginFailure, 'registry' | 'serviceAccount'>;
}

async function respond(text: string, details: RequestDetails, deps: BrokerDeps): Promise<CredentialProviderResponse> {
  const { redactor, notes } = details;
  const request = kubeletRequestIn(parseBrokerRequest(text));
  const view = frontEndHost(deps.host);
  const available = { clouds: deps.clouds, runtime: { env: frontEndEnvironment, host: view.host } };
  const cachedLogins = createCachedLogins(createLimitedLogins({ available, view, notes }, deps), deps);
  const logins: Logins = {
    get: (resolved, identity, config) => {
      details.login = { registry: resolved.authKey, ...serviceAccountOf(identity) };
      return cachedLogins.get(resolved, identity, config);
    },
  };
  const { clock, readConfig } = deps;
  const response = await answerRequest(request, { ...available, clock, redactor, logins, readConfig });
  view.checkComplete();
  return response;
}

function kubeletRequestIn(brokerRequest: BrokerRequest | undefined): string {
  if (brokerRequest === undefined) throw new Declined('another version of the protocol');
  if (emulatedProviderNames.includes(brokerRequest.baseName)) throw new Declined(`called as ${brokerRequest.baseName}`);
  return brokerRequest.request;
}

/** The claims are not verified: they only help a reader. */
function serviceAccountOf(identity: Identity): Pick<LoginFailure, 'serviceAccount'> {
  const claims = identity.kind === 'token' ? readClaims(identity.token.reveal()) : undefined;
  return claims === undefined ? {} : { serviceAccount: printable(`${claims.namespace}/${claims.serviceAccount}`) };
}

function failureResponse(error: unknown, details: RequestDetails, { log, onLoginFailure }: BrokerDeps): BrokerResponse {
  const { redactor, notes, login } = details;
  if (error instanceof Declined) return { outcome: 'decline', text: redactor.redact(error.message) };
  const text = failureLines(programName, error, notes, redactor).trimEnd();
  const line = text.split('\n', 1)[0] ?? '';
  if (isHostFailure(error)) {
    onLoginFailure({ ...login, reason: failureReasonOf(error), text: line.replace(`${programName}: `, '') });
    return { outcome: 'failure', text };
  }
  log.error('Broker: no login', { err: line });
  return { outcome: 'decline', text };
}

/**
 * Would the full program fail in the same way? It may not have an internal error of ours, and the authorities that the
 * host trusts are not known in the container.
 */
function isHostFailure(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return !(error.cause instanceof NetworkError && error.cause.reason === 'untrusted');
}
