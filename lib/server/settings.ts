import { isIP } from 'node:net';
import type { OptionDescription } from '../command-line/program-description.ts';
import { Failure } from '../failure.ts';
import { textFlag, wholeNumberFlag } from '../command-line/flag-values.ts';
import type { FlagValues } from '../command-line/flag-values.ts';
import type { CertificateLocation } from './certificate/certificate-source.ts';
import { parseTlsPolicy } from './tls-policy.ts';
import type { TlsPolicy } from './tls-policy.ts';

export interface ServingSettings {
  /** 0: no server. */
  readonly port: number;
  /** Absent: all addresses of the machine, of both families. */
  readonly address?: string;
  readonly certificate: CertificateLocation;
  readonly tls: TlsPolicy;
}

export interface ServingDefaults {
  readonly port: number;
  /** The base name of the files in `--cert-dir`. */
  readonly certificateName: string;
}

export function servingOptions({ port, certificateName }: ServingDefaults): readonly OptionDescription[] {
  return [
    {
      flag: '--secure-port',
      value: 'PORT',
      description: `where health, metrics and status are served by HTTPS; 0 for nowhere (default ${port})`,
    },
    { flag: '--bind-address', value: 'IP', description: 'on which address (default 0.0.0.0: all, of both families)' },
    {
      flag: '--cert-dir',
      value: 'DIR',
      description: `holds ${certificateName}.crt and .key, made if missing (default: a certificate kept in memory)`,
    },
    { flag: '--tls-cert-file', value: 'FILE', description: 'certificate and its chain; read again when it changes' },
    { flag: '--tls-private-key-file', value: 'FILE', description: 'its key' },
    { flag: '--tls-min-version', value: 'VERSION', description: 'VersionTLS12 or VersionTLS13 (default VersionTLS12)' },
    {
      flag: '--tls-cipher-suites',
      value: 'NAMES',
      isList: true,
      description: "for TLS 1.2, separated by commas, by Go's names (default: Node's list)",
    },
  ];
}

export function readServing(given: FlagValues, defaults: ServingDefaults): ServingSettings {
  const address = textFlag(given, '--bind-address', '0.0.0.0');
  if (isIP(address) === 0) throw unusable('the value of --bind-address is no IP address', 'give one, like 127.0.0.1');
  return {
    port: wholeNumberFlag(given, '--secure-port', defaults.port, { lowest: 0, highest: 65_535 }),
    ...(!wildcardAddresses.has(address) && { address }),
    certificate: certificateLocation(given, defaults.certificateName),
    tls: parseTlsPolicy(textFlag(given, '--tls-min-version', ''), textFlag(given, '--tls-cipher-suites', '')),
  };
}

const wildcardAddresses: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function certificateLocation(given: FlagValues, name: string): CertificateLocation {
  const certFile = textFlag(given, '--tls-cert-file', '');
  const keyFile = textFlag(given, '--tls-private-key-file', '');
  const directory = textFlag(given, '--cert-dir', '');
  if (certFile !== '' && keyFile !== '') return { kind: 'files', certFile, keyFile };
  if (certFile !== keyFile) {
    throw unusable('--tls-cert-file and --tls-private-key-file belong together', 'give both or neither');
  }
  return directory === '' ? { kind: 'memory' } : { kind: 'directory', directory, name };
}

function unusable(message: string, remedy: string): Failure {
  return new Failure('misconfigured', message, { remedy });
}
