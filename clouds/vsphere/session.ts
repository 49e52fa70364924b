import type { Context } from '../../lib/context.ts';
import { createCredentialCache } from '../../lib/credential-cache.ts';
import { Failure } from '../../lib/failure.ts';
import { Secret } from '../../lib/secret.ts';
import type { VcenterConfig, VsphereConfig } from '../../schemas/config/vsphere.ts';
import type { CloudSettings } from '../cloud.ts';
import { readCredentials } from './credentials.ts';
import type { VcenterCredentials } from './credentials.ts';
import { faultFailure, wrongFormat } from './errors.ts';
import type { SoapFault } from './errors.ts';
import { element } from './soap/envelope.ts';
import type { ManagedObject, SoapCall } from './soap/envelope.ts';
import { sendCall } from './soap/send-call.ts';
import type { SoapResponse, VcenterEndpoint } from './soap/send-call.ts';
import { readServiceContent, serviceContentCall } from './soap/service-content.ts';
import type { ServiceContent } from './soap/service-content.ts';
import { childOf, childrenOf } from './soap/xml.ts';
import type { SoapElement } from './soap/xml.ts';
import { trustOf } from './trust.ts';

/** One vCenter, for many calls. It logs in when it has to, once for all who wait. */
export interface VcenterSession {
  readonly name: string;
  readonly target: string;
  /** Runs the work with a connection, and once more with a new one if the session has ended meanwhile. */
  run<T>(work: (connection: VcenterConnection) => Promise<T>, context: Context): Promise<T>;
}

/** A session of vCenter. */
export interface VcenterConnection {
  readonly endpoint: VcenterEndpoint;
  readonly content: ServiceContent;
  /** For the REST API, which has sessions of its own. */
  readonly credentials: VcenterCredentials;
  /** Objects that were found or made in this session, by what they are for. */
  readonly objects: Map<string, ManagedObject>;
  readonly expiresAtMs: number;
  /** Throws a `Failure` for a fault, unless it is one of those to return. */
  send(call: SoapCall, context: Context): Promise<SoapElement>;
  sendExpecting(fault: string, call: SoapCall, context: Context): Promise<SoapElement | SoapFault>;
}

/** vCenter no longer knows the session: it was idle for half an hour, or somebody ended it. */
class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

/** So rotated credentials are used within an hour. The session before is logged out. */
const renewAfterMs = 60 * 60_000;
/**
 * vCenter locks an account for 5 minutes after 5 refused logins within 3 minutes. Refused credentials are not sent again
 * for this long, unless their files change.
 * https://techdocs.broadcom.com/us/en/vmware-cis/vsphere/vsphere/8-0/vsphere-authentication-8-0/vcenter-authentication-authentication/managing-policies-authentication/edit-lockout-policy-authentication.html
 */
const refusedMs = 90_000;

interface Refusal {
  readonly credentials: VcenterCredentials;
  readonly failure: Failure;
  readonly untilMs: number;
}

export function openVcenterSession(vcenter: VcenterConfig, settings: CloudSettings<VsphereConfig>): VcenterSession {
  const { name, server } = vcenter;
  const url = new URL(`https://${server}`);
  let refusal: Refusal | undefined;
  let previous: VcenterConnection | undefined;

  async function open(context: Context): Promise<VcenterConnection> {
    const endpoint = { url, target: url.host, trust: await trustOf(vcenter, settings.host) };
    const credentials = await readCredentials(vcenter, settings.config, settings.host);
    if (refusal !== undefined && isStillRefused(refusal, credentials, context)) throw refusal.failure;
    const connection = await logIn(endpoint, credentials, context);
    if (connection instanceof Failure) {
      refusal = { credentials, failure: connection, untilMs: context.clock.monotonicMs() + refusedMs };
      throw connection;
    }
    if (previous !== undefined) logOut(previous, context);
    previous = connection;
    return connection;
  }

  const connections = createCredentialCache(open);

  return {
    name,
    target: url.host,
    run: async (work, context) => {
      const connection = await connections.get(context);
      try {
        return await work(connection);
      } catch (error) {
        if (!(error instanceof SessionEnded)) throw error;
      }
      // Another caller may have renewed it already.
      if ((await connections.get(context)) === connection) {
        previous = undefined;
        connections.invalidate();
      }
      const renewed = await connections.get(context);
      return work(renewed).catch((error: unknown) => {
        throw error instanceof SessionEnded ? faultFailure({ name: 'NotAuthenticated' }, url.host, 'a call') : error;
      });
    },
  };
}

function isStillRefused({ credentials, untilMs }: Refusal, now: VcenterCredentials, { clock }: Context): boolean {
  const isSame = credentials.username === now.username && credentials.password.reveal() === now.password.reveal();
  return isSame && clock.monotonicMs() < untilMs;
}

/** A returned `Failure`: the credentials are wrong, or the account is locked. */
async function logIn(
  endpoint: VcenterEndpoint,
  credentials: VcenterCredentials,
  context: Context,
): Promise<VcenterConnection | Failure> {
  const described = await sendCall(serviceContentCall, endpoint, undefined, context);
  const content = described.is === 'response' ? readServiceContent(described.body) : undefined;
  if (content === undefined) throw wrongFormat(endpoint.target, serviceContentCall.method);
  const { username, password } = credentials;
  const parameters = element('userName', username) + element('password', password.reveal());
  const call = { method: 'Login', on: content.sessionManager, parameters };
  const response = await sendCall(call, endpoint, undefined, context);
  if (response.is === 'fault') {
    const failure = faultFailure(response.fault, endpoint.target, 'Login');
    if (response.fault.name === 'InvalidLogin') return failure;
    throw failure;
  }
  if (response.cookie === undefined) throw wrongFormat(endpoint.target, 'Login');
  const expiresAtMs = context.clock.wallMs() + renewAfterMs;
  return { ...connectionWith(new Secret(response.cookie), endpoint), content, credentials, expiresAtMs };
}

function connectionWith(
  cookie: Secret,
  endpoint: VcenterEndpoint,
): Pick<VcenterConnection, 'endpoint' | 'objects' | 'send' | 'sendExpecting'> {
  const exchange = async (call: SoapCall, context: Context): Promise<SoapElement | SoapFault> => {
    const response = await sendCall(call, endpoint, cookie, context);
    if (isSessionEnded(response)) throw new SessionEnded();
    return response.is === 'response' ? response.body : response.fault;
  };
  return {
    endpoint,
    objects: new Map(),
    sendExpecting: async (expected, call, context) => {
      const outcome = await exchange(call, context);
      if ('children' in outcome || outcome.name === expected) return outcome;
      throw faultFailure(outcome, endpoint.target, call.method);
    },
    send: async (call, context) => {
      const outcome = await exchange(call, context);
      if ('children' in outcome) return outcome;
      throw faultFailure(outcome, endpoint.target, call.method);
    },
  };
}

/** The PropertyCollector reports the end of the session for each property that it leaves out, and not as a fault. */
function isSessionEnded(response: SoapResponse): boolean {
  if (response.is === 'fault') return response.fault.name === 'NotAuthenticated';
  const missing = childrenOf(childOf(response.body, 'returnval'), 'objects').flatMap((each) =>
    childrenOf(each, 'missingSet'),
  );
  return missing.some((each) => childOf(childOf(each, 'fault'), 'fault')?.schemaType === 'NotAuthenticated');
}

/** The session ends by itself when it is idle, so a failure does not matter. */
function logOut({ content, send }: VcenterConnection, context: Context): void {
  send({ method: 'Logout', on: content.sessionManager, parameters: '' }, context).catch(() => {});
}
