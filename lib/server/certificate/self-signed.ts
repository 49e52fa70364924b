import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { der } from './der.ts';

/** PEM texts. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

export interface SelfSignedRequest {
  /** DNS names and addresses, the first of which is the subject. */
  readonly hosts: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A self-signed server certificate on the curve P-256. */
export function makeSelfSigned({ hosts, fromMs, untilMs }: SelfSignedRequest): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = der.sequence(
    der.set(der.sequence(der.objectId(ids.commonName), der.text((hosts[0] ?? '').slice(0, longestCommonName)))),
  );
  const toBeSigned = der.sequence(
    der.explicit(0, der.integer(version3)),
    der.integer(serialNumber()),
    algorithm,
    name,
    der.sequence(der.time(fromMs), der.time(untilMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, extensions(hosts)),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = der.sequence(toBeSigned, algorithm, der.bits(signature, 0));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem(certificate) };
}

const version3 = Buffer.of(2);
/** The upper bound of X.520. */
const longestCommonName = 64;

/** Object identifiers, encoded. */
const ids = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  subjectAlternativeName: '551d11',
  serverAuthentication: '2b06010505070301',
} as const;

const algorithm = der.sequence(der.objectId(ids.ecdsaWithSha256));
const digitalSignature = der.bits(Buffer.of(0x80), 7);

/** Positive, and without a leading zero, as strict parsers require. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8() & 0x7f) | 0x40);
  return bytes;
}

function extensions(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) => (isIP(host) === 0 ? der.dnsName(host) : der.ipAddress(host)));
  return der.sequence(
    extension(ids.basicConstraints, der.booleanTrue, der.sequence()),
    extension(ids.keyUsage, der.booleanTrue, digitalSignature),
    extension(ids.extendedKeyUsage, der.sequence(der.objectId(ids.serverAuthentication))),
    extension(ids.subjectAlternativeName, der.sequence(...names)),
  );
}

/** The last part is the value. The optional part before it marks the extension as critical. */
function extension(id: string, ...parts: readonly Buffer[]): Buffer {
  return der.sequence(der.objectId(id), ...parts.slice(0, -1), der.octets(parts.at(-1) ?? Buffer.of()));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
