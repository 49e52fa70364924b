import type { Socket } from 'node:net';
import type { ConnectionOptions, PeerCertificate, SecureContext, TLSSocket } from 'node:tls';
import { NetworkError } from './network-error.ts';
import { familyOf } from './resolve.ts';

/** The authorities to trust, and the client certificate to present. */
export interface TlsSettings {
  /** PEM certificates to trust instead of those that OpenSSL finds. */
  readonly authorities?: readonly string[] | undefined;
  /** Instead of `authorities`; with the client certificate, if there is one. */
  readonly secureContext?: SecureContext;
  /** The name that the certificate must have, if it is not the host. */
  readonly serverName?: string;
}

/** Begins a TLS handshake over an open connection; the caller waits for `secureConnect`. */
export function startTls(socket: Socket, host: string, settings: TlsSettings): TLSSocket {
  const { authorities, secureContext, serverName } = settings;
  return process.getBuiltinModule('node:tls').connect({
    socket,
    host,
    // Certificates can contain IP addresses, but the server name of a TLS handshake must not be one.
    servername: serverName ?? (familyOf(host) === 0 ? host : ''),
    ALPNProtocols: ['http/1.1'],
    ...(authorities !== undefined && { ca: [...authorities] }),
    ...(secureContext !== undefined && { secureContext }),
    ...fixedOptions,
  });
}

/** Set explicitly: Node's defaults depend on environment variables. */
const fixedOptions: ConnectionOptions = { minVersion: 'TLSv1.2', rejectUnauthorized: true, checkServerIdentity };

/**
 * Node's check accepts the common name if a certificate has no DNS name. Browsers and Go do not:
 * https://go.dev/doc/go1.15#commonname
 */
function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  if (certificate.subjectaltname === undefined) {
    return new NetworkError('certificate-name', 'it has no subjectAltName, and its common name does not count');
  }
  const subject = { ...certificate.subject, CN: '' };
  return process.getBuiltinModule('node:tls').checkServerIdentity(host, { ...certificate, subject });
}
