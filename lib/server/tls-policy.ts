import { Failure } from '../failure.ts';

export interface TlsPolicy {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** In OpenSSL's format. Absent: the list of Node.js. */
  readonly ciphers?: string;
}

/** All suites of TLS 1.3. As in Go, no list can omit them. */
const modernCiphers = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';

const versions: ReadonlyMap<string, TlsPolicy['minVersion']> = new Map([
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

/** The safe suites, with Go's names, which the flags use. */
const opensslNames: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_AES_128_GCM_SHA256', ''],
  ['TLS_AES_256_GCM_SHA384', ''],
  ['TLS_CHACHA20_POLY1305_SHA256', ''],
]);

/** Empty strings: not given. */
export function parseTlsPolicy(minVersionText: string, cipherSuitesText: string): TlsPolicy {
  const minVersion = versions.get(minVersionText === '' ? 'VersionTLS12' : minVersionText);
  if (minVersion === undefined) {
    const remedy = 'give VersionTLS12 or VersionTLS13; older ones are not safe';
    throw new Failure('misconfigured', 'the value of --tls-min-version is not one of the versions', { remedy });
  }
  if (cipherSuitesText === '') return { minVersion };
  const ciphers = cipherSuitesText.split(',').map((text) => cipherOf(text.trim()));
  return { minVersion, ciphers: [modernCiphers, ...ciphers.filter((name) => name !== '')].join(':') };
}

function cipherOf(goName: string): string {
  const name = opensslNames.get(goName);
  if (name !== undefined) return name;
  const remedy = `give some of ${[...opensslNames.keys()].join(', ')}`;
  throw new Failure('misconfigured', '--tls-cipher-suites names a suite that is unknown or not safe', { remedy });
}
