import type { Socket } from 'node:net';
import type { ConnectionOptions, PeerCertificate, SecureContext, TLSSocket } from 'node:tls';
import { NetworkError } from './network-error.ts';
import { familyOf } from './resolve.ts';

/** Whom to trust as the server, and who we are. */
export interface TlsSettings {
  /** PEM certificates to trust instead of what OpenSSL finds. */
  readonly authorities?: readonly string[] | undefined;
  /** In the place of the authorities, with a client certificate where there is one. */
  readonly secureContext?: SecureContext;
  /** The name that the certificate must have, if not the host's. */
  readonly serverName?: string;
}

/** Begins a TLS handshake over an open connection; the caller waits for `secureConnect`. */
export function startTls(socket: Socket, host: string, settings: TlsSettings): TLSSocket {
  const { authorities, secureContext, serverName } = settings;
  return process.getBuiltinModule('node:tls').connect({
    socket,
    host,
    // Certificates can name IP addresses, but a TLS client cannot ask for one by its address.
    servername: serverName ?? (familyOf(host) === 0 ? host : ''),
    ALPNProtocols: ['http/1.1'],
    ...(authorities !== undefined && { ca: [...authorities] }),
    ...(secureContext !== undefined && { secureContext }),
    ...fixedOptions,
  });
}

/** All of these explicitly: Node's defaults depend on environment variables. */
const fixedOptions: ConnectionOptions = { minVersion: 'TLSv1.2', rejectUnauthorized: true, checkServerIdentity };

/**
 * Node's check accepts the common name where a certificate has no DNS name. Browsers and Go do not:
 * https://go.dev/doc/go1.15#commonname
 */
function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  if (certificate.subjectaltname === undefined) {
    return new NetworkError('certificate-name', 'it has no subjectAltName, and its common name does not count');
  }
  const subject = { ...certificate.subject, CN: '' };
  return process.getBuiltinModule('node:tls').checkServerIdentity(host, { ...certificate, subject });
}
