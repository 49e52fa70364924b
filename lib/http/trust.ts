import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Environment } from '../environment.ts';

/**
 * What TLS trusts: SSL_CERT_FILE and SSL_CERT_DIR, else the stores of the system, else the roots bundled with Node.
 * The executables run with --use-openssl-ca, so OpenSSL itself reads those two variables at the first handshake. A
 * directory of hashed names is preferred: only one of its 144 authorities is read, which saves 7 ms.
 */
export interface TrustVariables {
  readonly SSL_CERT_FILE: string;
  readonly SSL_CERT_DIR: string;
}

/** The files and directories that Go programs read, in the same order. */
const bundleFiles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const directories = ['/etc/ssl/certs', '/etc/pki/tls/certs'];
const devNull = '/dev/null';
const hashedName = /^[0-9a-f]{8}\.\d+$/;

/** The variables to set before the first handshake. */
export function trustVariables(env: Environment): TrustVariables {
  const { SSL_CERT_FILE: file, SSL_CERT_DIR: directory } = operatorTrustVariables(env);
  if (file !== undefined || directory !== undefined) {
    return { SSL_CERT_FILE: file ?? devNull, SSL_CERT_DIR: directory ?? devNull };
  }
  const hashed = directories.find(hasHashedNames);
  if (hashed !== undefined) return { SSL_CERT_FILE: devNull, SSL_CERT_DIR: hashed };
  return { SSL_CERT_FILE: bundleFiles.find((path) => existsSync(path)) ?? devNull, SSL_CERT_DIR: devNull };
}

function operatorTrustVariables(env: Environment): { readonly [name in keyof TrustVariables]: string | undefined } {
  return { SSL_CERT_FILE: env['SSL_CERT_FILE'] || undefined, SSL_CERT_DIR: env['SSL_CERT_DIR'] || undefined };
}

function hasHashedNames(directory: string): boolean {
  return listDirectory(directory).some((name) => hashedName.test(name));
}

function listDirectory(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/**
 * The same trust as a list of certificates, where OpenSSL cannot read it: to add an authority of the
 * configuration, and for a bundle that contains more than the hashed directory beside it (an admin appended to the file).
 */
export function trustedCertificates(env: Environment): readonly string[] {
  const { SSL_CERT_FILE: file, SSL_CERT_DIR: directory } = operatorTrustVariables(env);
  if (file !== undefined || directory !== undefined) {
    const fromDirectories = (directory ?? '').split(':').flatMap((path) => (path === '' ? [] : certificatesIn(path)));
    return [...(file === undefined ? [] : readPem(file)), ...fromDirectories];
  }
  const bundle = bundleFiles.flatMap((path) => readPem(path)).slice(0, 1);
  return bundle.length > 0 ? bundle : process.getBuiltinModule('node:tls').rootCertificates;
}

function certificatesIn(directory: string): readonly string[] {
  return listDirectory(directory).flatMap((name) => readPem(`${directory}/${name}`));
}

/** An unreadable store contains no authority; the handshake then fails with that reason. */
function readPem(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.includes('-----BEGIN') ? [text] : [];
  } catch {
    return [];
  }
}
