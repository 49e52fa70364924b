import { Failure } from '../failure.ts';

/** Why there was no whole answer. */
export type NetworkReason =
  | 'name-not-found'
  | 'refused'
  | 'unreachable'
  | 'connect-timeout'
  | 'timeout'
  | 'reset'
  | 'cut-off'
  | 'too-large'
  | 'not-http'
  | 'untrusted'
  | 'certificate-date'
  | 'certificate-name'
  | 'tls'
  | 'proxy'
  | 'other';

export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly reason: NetworkReason;

  constructor(reason: NetworkReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

interface ReasonRow {
  readonly says: string;
  readonly remedy: string;
  /** Would the same request possibly succeed a moment later? */
  readonly passes: boolean;
}

const checkRoute = 'check routes, firewall and security groups from this node to it';
const checkLater = 'it should pass; if it stays, check what lies between this node and it';

const reasons: Readonly<Record<NetworkReason, ReasonRow>> = {
  'name-not-found': { says: 'its name could not be resolved', remedy: "check this node's DNS", passes: true },
  refused: { says: 'the connection was refused', remedy: checkRoute, passes: true },
  unreachable: { says: 'there is no route to it', remedy: checkRoute, passes: true },
  'connect-timeout': { says: 'no connection within the time allowed', remedy: checkRoute, passes: true },
  timeout: { says: 'no answer within the time allowed', remedy: checkLater, passes: true },
  reset: { says: 'it closed the connection without an answer', remedy: checkLater, passes: true },
  'cut-off': { says: 'its answer was cut off', remedy: checkLater, passes: true },
  'too-large': {
    says: 'its answer is larger than 1 MB',
    remedy: 'check that nothing else answers in its place',
    passes: false,
  },
  'not-http': {
    says: 'its answer is not HTTP',
    remedy: 'check that nothing else answers in its place',
    passes: true,
  },
  untrusted: {
    says: 'its certificate was signed by an authority that this node does not trust',
    remedy: "add the authority to the node's system store, or name its file as caFile in the configuration",
    passes: false,
  },
  'certificate-date': {
    says: "its certificate is not valid at this node's time",
    remedy: "check this node's clock, then the certificate",
    passes: false,
  },
  'certificate-name': {
    says: 'its certificate is for another name',
    remedy: 'check DNS and the endpoint settings',
    passes: false,
  },
  tls: { says: 'the TLS handshake failed', remedy: 'check that nothing else answers in its place', passes: true },
  proxy: { says: 'the proxy did not let the request through', remedy: 'check HTTPS_PROXY and NO_PROXY', passes: true },
  other: { says: 'the request failed', remedy: checkRoute, passes: true },
};

/** The failure a caller reports: whom it spoke to, what happened there, what to do. */
export function networkFailure(whom: string, error: NetworkError): Failure {
  const row = reasons[error.reason];
  const detail = error.message === '' ? '' : ` (${error.message})`;
  return new Failure(row.passes ? 'unavailable' : 'misconfigured', `${whom}: ${row.says}${detail}`, {
    remedy: row.remedy,
    cause: error,
  });
}
