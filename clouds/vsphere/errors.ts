import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';

/** A fault of the vSphere Web Services API. Its text can repeat parameters, so it is never quoted. */
export interface SoapFault {
  /** E.g. `NotAuthenticated`; empty if the response names none. */
  readonly name: string;
}

interface FaultRow {
  readonly names: RegExp;
  readonly kind: FailureKind;
  message(target: string, method: string): string;
  readonly remedy: string;
}

/**
 * https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/ (fault types). The first matching row applies.
 */
const rows: readonly FaultRow[] = [
  {
    names: /^(?:InvalidLogin|NoClientCertificate|PasswordExpired)$/,
    kind: 'denied',
    message: (target) => `${target} does not accept the user name and password`,
    remedy: 'check the two files of the credentials, and that the account is neither locked nor expired',
  },
  {
    names: /^NotAuthenticated$/,
    kind: 'denied',
    message: (target, method) => `${target} refuses ${method} in a new session`,
    remedy: 'check that nothing ends the sessions of the account at once, such as a proxy that drops cookies',
  },
  {
    names: /^(?:NoPermission|RestrictedVersion)$/,
    kind: 'denied',
    message: (target, method) => `${target} denied ${method} to the account`,
    remedy: 'give it the role Read-only on the datacenters, with "Propagate to children"',
  },
  {
    names: /^ManagedObjectNotFound$/,
    kind: 'unavailable',
    message: (target, method) => `${target}: an object was deleted while ${method} read it`,
    remedy: 'it is read again; if this stays, report it',
  },
  {
    names: /^(?:InvalidArgument|InvalidRequest|InvalidType|InvalidProperty|NotSupported|MethodNotFound)$/,
    kind: 'misconfigured',
    message: (target, method) => `${target} does not understand ${method}`,
    remedy: 'check that it is a vCenter 6.5 or later, and not an ESXi host',
  },
  {
    names: /^(?:TooManyHosts|ResourceInUse|LimitExceeded)$/,
    kind: 'throttled',
    message: (target, method) => `${target} has too much to do for ${method}`,
    remedy: 'it should pass; if it stays, look at the sessions and the load of the vCenter',
  },
];

export function faultFailure({ name }: SoapFault, target: string, method: string): Failure {
  const row = rows.find(({ names }) => names.test(name));
  if (row !== undefined) return new Failure(row.kind, row.message(target, method), { remedy: row.remedy });
  const shown = /^\w{1,60}$/.test(name) ? ` (${name})` : '';
  return new Failure('unavailable', `${target} has an error of its own in ${method}${shown}`, {
    remedy: "it should pass; if not, look at the vCenter's services and logs",
  });
}

export function wrongFormat(target: string, method: string): Failure {
  return new Failure('invalid-response', `${target} answered ${method} with something that is not its format`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
