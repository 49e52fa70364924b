import { Failure } from '../failure.ts';

/** Why there was no complete response. */
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
  | 'certificate-pin'
  | 'tls'
  | 'proxy'
  | 'other';

/** The URL of a proxy without user name and password, and the variable that names it. */
export interface ProxyInUse {
  readonly address: string;
  readonly variable: 'HTTPS_PROXY' | 'HTTP_PROXY';
}

export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly reason: NetworkReason;
  /** The proxy, if the proxy failed and not the server. */
  readonly proxy?: ProxyInUse;

  constructor(reason: NetworkReason, message: string, cause?: unknown, proxy?: ProxyInUse) {
    super(message, { cause });
    this.reason = reason;
    if (proxy !== undefined) this.proxy = proxy;
  }

  /** The same error with this proxy as its cause, if there is one. */
  withProxy(proxy: ProxyInUse | undefined): NetworkError {
    if (proxy === undefined) return this;
    return new NetworkError(this.reason, this.message, this.cause, proxy);
  }
}

interface ReasonRow {
  readonly message: string;
  readonly remedy: string;
  /** True if the same request may succeed a moment later. */
  readonly isTransient: boolean;
}

const checkRoute = 'check routes, firewall and security groups from this node to it';
const checkLater = 'it should pass; if it stays, check what lies between this node and it';

const reasons: Readonly<Record<NetworkReason, ReasonRow>> = {
  'name-not-found': { message: 'its name could not be resolved', remedy: "check this node's DNS", isTransient: true },
  'name-timeout': {
    message: 'DNS did not resolve its name within the time allowed',
    remedy: "check the nameservers of this node's /etc/resolv.conf",
    isTransient: true,
  },
  refused: { message: 'the connection was refused', remedy: checkRoute, isTransient: true },
  unreachable: { message: 'there is no route to it', remedy: checkRoute, isTransient: true },
  'connect-timeout': { message: 'no connection within the time allowed', remedy: checkRoute, isTransient: true },
  timeout: { message: 'no answer within the time allowed', remedy: checkLater, isTransient: true },
  reset: { message: 'it closed the connection without an answer', remedy: checkLater, isTransient: true },
  'cut-off': { message: 'its answer was cut off', remedy: checkLater, isTransient: true },
  'too-large': {
    message: 'its answer is too large',
    remedy: 'check that nothing else answers in its place',
    isTransient: false,
  },
  'not-http': {
    message: 'its answer is not HTTP',
    remedy: 'check that nothing else answers in its place',
    isTransient: true,
  },
  untrusted: {
    message: 'its certificate was signed by an authority that this node does not trust',
    remedy: "add the authority to the node's system store, or name its file as caFile in the configuration",
    isTransient: false,
  },
  'certificate-date': {
    message: "its certificate is not valid at this node's time",
    remedy: "check this node's clock, then the certificate",
    isTransient: false,
  },
  'certificate-name': {
    message: 'its certificate is for another name',
    remedy: 'check DNS and the endpoint settings',
    isTransient: false,
  },
  'certificate-pin': {
    message: 'its certificate is not the one that the configuration names',
    remedy: 'if it was renewed on purpose, write its new thumbprint into the configuration',
    isTransient: false,
  },
  tls: {
    message: 'the TLS handshake failed',
    remedy: 'check that nothing else answers in its place',
    isTransient: true,
  },
  proxy: { message: 'it did not let the request through', remedy: 'check that it may lead there', isTransient: true },
  other: { message: 'the request failed', remedy: checkRoute, isTransient: true },
};

/** The failure that a caller reports: the target, what happened, what to do. */
export function networkFailure(target: string, error: NetworkError): Failure {
  const row = reasons[error.reason];
  const detail = error.message === '' ? '' : ` (${error.message})`;
  const [subject, remedy] = subjectAndRemedy(target, row, error);
  return new Failure(row.isTransient ? 'unavailable' : 'misconfigured', `${subject}: ${row.message}${detail}`, {
    remedy,
    cause: error,
  });
}

function subjectAndRemedy(target: string, row: ReasonRow, { reason, proxy }: NetworkError): readonly [string, string] {
  if (proxy !== undefined) {
    const { address, variable } = proxy;
    return [
      `${target}: the proxy ${address} (${variable})`,
      `check ${variable} and NO_PROXY; if they are right, for the proxy: ${row.remedy}`,
    ];
  }
  return reason === 'proxy' ? [`${target}: the proxy`, 'check HTTPS_PROXY and NO_PROXY'] : [target, row.remedy];
}
