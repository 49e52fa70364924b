import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { makeSelfSigned } from './self-signed.ts';
import type { KeyPair } from './self-signed.ts';

/** The source of the server's certificate. It is called repeatedly, since the certificate may change. */
export type CertificateSource = () => Promise<KeyPair>;

export type CertificateLocation =
  | { readonly kind: 'files'; readonly certFile: string; readonly keyFile: string }
  /** `NAME.crt` and `NAME.key` in a directory. They are created if both are missing. */
  | { readonly kind: 'directory'; readonly directory: string; readonly name: string }
  | { readonly kind: 'memory' };

export interface CertificateSourceParts {
  readonly clock: Clock;
  /** `undefined`: there is no such file. */
  readText(path: string): Promise<string | undefined>;
}

const dayMs = 86_400_000;
const lifetimeMs = 365 * dayMs;
const renewBeforeMs = 30 * dayMs;
/** For clients whose clocks are slow. */
const backdatedMs = 3_600_000;

export function certificateSource(location: CertificateLocation, parts: CertificateSourceParts): CertificateSource {
  if (location.kind === 'memory') return fromMemory(parts.clock);
  if (location.kind === 'files') return () => fromFiles(location, parts);
  const [certFile, keyFile] = ['crt', 'key'].map((ending) => join(location.directory, `${location.name}.${ending}`));
  return () =>
    fromDirectory({ directory: location.directory, certFile: certFile ?? '', keyFile: keyFile ?? '' }, parts);
}

function fromMemory(clock: Clock): CertificateSource {
  let pair: KeyPair | undefined;
  let expiresAtMs = 0;
  return () => {
    if (pair === undefined || clock.wallMs() > expiresAtMs - renewBeforeMs) {
      pair = selfSigned(clock.wallMs());
      expiresAtMs = clock.wallMs() + lifetimeMs;
    }
    return Promise.resolve(pair);
  };
}

interface Files {
  readonly certFile: string;
  readonly keyFile: string;
}

async function fromFiles({ certFile, keyFile }: Files, { readText }: CertificateSourceParts): Promise<KeyPair> {
  const [cert, key] = [await readText(certFile), await readText(keyFile)];
  if (cert !== undefined && key !== undefined) return { cert, key };
  const missing = cert === undefined ? certFile : keyFile;
  throw new Failure('misconfigured', `${missing} does not exist`, { remedy: 'check the certificate flags' });
}

async function fromDirectory(
  files: Files & { readonly directory: string },
  parts: CertificateSourceParts,
): Promise<KeyPair> {
  const found = [await parts.readText(files.certFile), await parts.readText(files.keyFile)];
  if (found.every((text) => text === undefined)) write(files, selfSigned(parts.clock.wallMs()));
  return fromFiles(files, parts);
}

function write({ directory, certFile, keyFile }: Files & { readonly directory: string }, pair: KeyPair): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    writeFileSync(keyFile, pair.key, { mode: 0o600 });
    writeFileSync(certFile, pair.cert, { mode: 0o644 });
  } catch (cause) {
    const remedy = 'make it writable, or leave --cert-dir out to keep the certificate in memory';
    throw new Failure('misconfigured', `no certificate can be written to ${directory}`, { remedy, cause });
  }
}

const hostnamePattern = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

function selfSigned(nowMs: number): KeyPair {
  const own = hostnamePattern.test(hostname()) ? [hostname()] : [];
  const hosts = [...own, 'localhost', '127.0.0.1', '::1'];
  return makeSelfSigned({ hosts, fromMs: nowMs - backdatedMs, untilMs: nowMs + lifetimeMs });
}
