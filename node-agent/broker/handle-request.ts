import type { CloudEntry } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { NetworkError } from '../../lib/http/network-error.ts';
import type { Log } from '../../lib/log/log.ts';
import { answerRequest } from '../../lib/registry-login/answer-request.ts';
import { failureLines } from '../../lib/registry-login/failure-line.ts';
import { createRedactor } from '../../lib/registry-login/redactor.ts';
import type { Redactor } from '../../lib/registry-login/redactor.ts';
import { brokerLimits, emulatedProviderNames } from '../../schemas/broker.ts';
import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { createCachedLogins } from './cached-logins.ts';
import type { CachedLoginsDeps } from './cached-logins.ts';
import { Declined } from './declined.ts';
import { frontEndHost } from './host-views.ts';
import { createLimitedLogins } from './limited-logins.ts';
import type { LimitedLoginsDeps } from './limited-logins.ts';
import { parseBrokerRequest } from './socket/wire-format.ts';
import type { BrokerRequest, BrokerResponse } from './socket/wire-format.ts';
import { withTimeout } from './with-timeout.ts';

/** What all requests share. */
export interface BrokerDeps extends CachedLoginsDeps, LimitedLoginsDeps {
  readonly clouds: readonly CloudEntry[];
  readonly host: Host;
  readConfig(): Promise<Config>;
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
    return failureResponse(error, details, deps.log);
  }
}

interface RequestDetails {
  readonly redactor: Redactor;
  readonly notes: string[];
}

async function respond(
  text: string,
  { redactor, notes }: RequestDetails,
  deps: BrokerDeps,
): Promise<CredentialProviderResponse> {
  const request = kubeletRequestIn(parseBrokerRequest(text));
  const view = frontEndHost(deps.host);
  const available = { clouds: deps.clouds, runtime: { env: frontEndEnvironment, host: view.host } };
  const logins = createCachedLogins(createLimitedLogins({ available, view, notes }, deps), deps);
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

function failureResponse(error: unknown, { redactor, notes }: RequestDetails, log: Log): BrokerResponse {
  if (error instanceof Declined) return { outcome: 'decline', text: redactor.redact(error.message) };
  const text = failureLines(programName, error, notes, redactor).trimEnd();
  log.error('Broker: no login', { err: text.split('\n', 1)[0] });
  return { outcome: isHostFailure(error) ? 'failure' : 'decline', text };
}

/**
 * Would the full program fail in the same way? It may not have an internal error of ours, and the authorities that the
 * host trusts are not known in the container.
 */
function isHostFailure(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return !(error.cause instanceof NetworkError && error.cause.reason === 'untrusted');
}
