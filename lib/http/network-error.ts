import { Failure } from '../failure.ts';

/** Why there was no whole answer. */
export type NetworkReason =
  | 'name-not-found'
  | 'name-timeout'
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

/** A proxy by its address without user name and password, and the variable that names it. */
export interface ProxyInUse {
  readonly address: string;
  readonly variable: 'HTTPS_PROXY' | 'HTTP_PROXY';
}

export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly reason: NetworkReason;
  /** The proxy, where the failure is the proxy's and not the server's. */
  readonly proxy?: ProxyInUse;

  constructor(reason: NetworkReason, message: string, cause?: unknown, proxy?: ProxyInUse) {
    super(message, { cause });
    this.reason = reason;
    if (proxy !== undefined) this.proxy = proxy;
  }

  /** The same failure, but of this proxy, if there is one. */
  at(proxy: ProxyInUse | undefined): NetworkError {
    if (proxy === undefined) return this;
    return new NetworkError(this.reason, this.message, this.cause, proxy);
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
  'name-timeout': {
    says: 'DNS did not resolve its name within the time allowed',
    remedy: "check the nameservers of this node's /etc/resolv.conf",
    passes: true,
  },
  refused: { says: 'the connection was refused', remedy: checkRoute, passes: true },
  unreachable: { says: 'there is no route to it', remedy: checkRoute, passes: true },
  'connect-timeout': { says: 'no connection within the time allowed', remedy: checkRoute, passes: true },
  timeout: { says: 'no answer within the time allowed', remedy: checkLater, passes: true },
  reset: { says: 'it closed the connection without an answer', remedy: checkLater, passes: true },
  'cut-off': { says: 'its answer was cut off', remedy: checkLater, passes: true },
  'too-large': {
    says: 'its answer is too large',
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
  proxy: { says: 'it did not let the request through', remedy: 'check that it may lead there', passes: true },
  other: { says: 'the request failed', remedy: checkRoute, passes: true },
};

/** The failure a caller reports: whom it spoke to, what happened there, what to do. */
export function networkFailure(whom: string, error: NetworkError): Failure {
  const row = reasons[error.reason];
  const detail = error.message === '' ? '' : ` (${error.message})`;
  const [where, remedy] = placeAndRemedy(whom, row, error);
  return new Failure(row.passes ? 'unavailable' : 'misconfigured', `${where}: ${row.says}${detail}`, {
    remedy,
    cause: error,
  });
}

function placeAndRemedy(whom: string, row: ReasonRow, { reason, proxy }: NetworkError): readonly [string, string] {
  if (proxy !== undefined) {
    const { address, variable } = proxy;
    return [
      `${whom}: the proxy ${address} (${variable})`,
      `check ${variable} and NO_PROXY; if they are right, for the proxy: ${row.remedy}`,
    ];
  }
  return reason === 'proxy' ? [`${whom}: the proxy`, 'check HTTPS_PROXY and NO_PROXY'] : [whom, row.remedy];
}
