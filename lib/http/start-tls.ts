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
  /** Replaces every other check of the certificate: see `HttpRequest`. */
  readonly certificatePin?: string | undefined;
}

/** Begins a TLS handshake over an open connection; the caller waits for `secureConnect`. */
export function startTls(socket: Socket, host: string, settings: TlsSettings): TLSSocket {
  const { authorities, secureContext, serverName, certificatePin } = settings;
  return process.getBuiltinModule('node:tls').connect({
    socket,
    host,
    // Certificates can contain IP addresses, but the server name of a TLS handshake must not be one.
    servername: serverName ?? (familyOf(host) === 0 ? host : ''),
    ALPNProtocols: ['http/1.1'],
    ...(authorities !== undefined && { ca: [...authorities] }),
    ...(secureContext !== undefined && { secureContext }),
    ...fixedOptions,
    // The handshake still proves that the server has the key of its certificate. `checkPin` checks the certificate.
    ...(certificatePin !== undefined && { rejectUnauthorized: false }),
  });
}

/** Throws if the server of a finished handshake has another certificate than the pin names. */
export async function checkPin(socket: TLSSocket, certificatePin: string): Promise<void> {
  // Node.js crashes if the socket is destroyed while OpenSSL still reports the end of the handshake.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  if (socket.destroyed) throw new NetworkError('reset', '');
  const { fingerprint, fingerprint256 } = socket.getPeerCertificate();
  if (certificatePin === fingerprint || certificatePin === fingerprint256) return;
  throw new NetworkError('certificate-pin', `its SHA-256 thumbprint is ${fingerprint256}`);
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
