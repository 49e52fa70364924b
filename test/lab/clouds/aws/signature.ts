import { timingSafeEqual } from 'node:crypto';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { LabRequest } from '../cloud.ts';
import type { AccessKey, AwsState } from './state.ts';
import type { Refusal } from './refusal.ts';
import { isRefusal, refuse } from './refusal.ts';
import { partitionOf } from './hosts.ts';

export interface Expected {
  readonly service: string;
  /** Absent if the host name does not have it. Then the one in the signature counts. */
  readonly region: string | undefined;
  readonly nowMs: number;
}

export interface Signer {
  readonly key: AccessKey;
  readonly region: string;
}

/** Who signed the request, once the signature is recomputed and is the same. */
export async function checkSignature(
  request: LabRequest,
  state: AwsState,
  expected: Expected,
): Promise<Signer | Refusal> {
  const claim = readClaim(request);
  if (isRefusal(claim)) return claim;
  const key = state.accessKeys[claim.accessKeyId];
  const refusal =
    wrongScope(claim, expected) ??
    unusableKey(request, key, claim, expected.nowMs) ??
    wrongDate(claim, expected.nowMs) ??
    (key && (await wrongSignature(request, claim, key)));
  if (refusal) return refusal;
  return key ? { key, region: claim.region } : unknownKey();
}

interface Claim {
  readonly accessKeyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** As sent, `20261118T120534Z`. */
  readonly sentAt: string;
  readonly sentAtMs: number;
}

const authorizationPattern =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, ?SignedHeaders=([^,\s]+), ?Signature=([0-9a-f]{64})$/;

function readClaim({ headers }: LabRequest): Claim | Refusal {
  const authorization = headers['authorization'];
  if (authorization === undefined) return refuse('unsigned', 'Missing Authentication Token');
  const fields = authorizationPattern.exec(authorization)?.slice(1);
  const sentAt = headers['x-amz-date'] ?? '';
  const sentAtMs = Date.parse(sentAt.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!fields || Number.isNaN(sentAtMs)) {
    return refuse('badly-signed', 'Authorization header or X-Amz-Date is not of the form that AWS4-HMAC-SHA256 has.');
  }
  return claimOf(fields, sentAt, sentAtMs);
}

function claimOf(fields: readonly string[], sentAt: string, sentAtMs: number): Claim {
  const [accessKeyId = '', date = '', region = '', service = '', signedHeaders = '', signature = ''] = fields;
  return { accessKeyId, date, region, service, signedHeaders: signedHeaders.split(';'), signature, sentAt, sentAtMs };
}

function wrongScope(claim: Claim, expected: Expected): Refusal | undefined {
  if (claim.service !== expected.service) {
    return refuse('wrong-signature', `Credential should be scoped to correct service: '${expected.service}'. `);
  }
  if (expected.region !== undefined && claim.region !== expected.region) {
    return refuse('wrong-signature', 'Credential should be scoped to a valid region. ');
  }
  if (!claim.sentAt.startsWith(claim.date)) {
    return refuse('wrong-signature', `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date.`);
  }
  return undefined;
}

/** A key is good in its own partition only, and a session's key only together with the session's token. */
function unusableKey(
  { headers }: LabRequest,
  key: AccessKey | undefined,
  claim: Claim,
  nowMs: number,
): Refusal | undefined {
  const token = headers['x-amz-security-token'];
  if (!key || key.sessionToken !== token || key.partition !== partitionOf(claim.region).name) return unknownKey();
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) {
    return refuse('expired-key', 'The security token included in the request is expired');
  }
  return undefined;
}

function unknownKey(): Refusal {
  return refuse('unknown-key', 'The security token included in the request is invalid.');
}

const toleranceMs = 5 * 60 * 1000;

function wrongDate({ sentAt, sentAtMs }: Claim, nowMs: number): Refusal | undefined {
  if (Math.abs(nowMs - sentAtMs) <= toleranceMs) return undefined;
  const now = compactDate(nowMs);
  if (sentAtMs < nowMs) {
    const limit = `${compactDate(nowMs - toleranceMs)} (${now} - 5 min.)`;
    return refuse('wrong-signature', `Signature expired: ${sentAt} is now earlier than ${limit}`);
  }
  const limit = `${compactDate(nowMs + toleranceMs)} (${now} + 5 min.)`;
  return refuse('wrong-signature', `Signature not yet current: ${sentAt} is still later than ${limit}`);
}

function compactDate(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

async function wrongSignature(request: LabRequest, claim: Claim, key: AccessKey): Promise<Refusal | undefined> {
  const signature = await recompute(request, claim, key);
  if (timingSafeEqual(Buffer.from(signature), Buffer.from(claim.signature))) return undefined;
  const first = 'The request signature we calculated does not match the signature you provided. ';
  const second = 'Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';
  return refuse('wrong-signature', first + second);
}

const bodyHashHeader = 'x-amz-content-sha256';

async function recompute(request: LabRequest, claim: Claim, key: AccessKey): Promise<string> {
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: key.accessKeyId,
      secretAccessKey: key.secretAccessKey,
      ...(key.sessionToken === undefined ? {} : { sessionToken: key.sessionToken }),
    },
    region: claim.region,
    service: claim.service,
    sha256: Sha256,
    // Left to the signer, so that it is the hash of the body that arrived.
    applyChecksum: claim.signedHeaders.includes(bodyHashHeader),
  });
  const [path = '', search = ''] = request.path.split('?');
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'https:',
      hostname: request.host,
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: pickSigned(request, claim),
      body: request.body,
    },
    { signingDate: new Date(claim.sentAtMs), signableHeaders: new Set(claim.signedHeaders) },
  );
  return /Signature=([0-9a-f]+)$/.exec(signed.headers['authorization'] ?? '')?.[1] ?? ''.padEnd(64);
}

function pickSigned({ headers }: LabRequest, { signedHeaders }: Claim): Record<string, string> {
  const names = signedHeaders.filter((name) => name !== bodyHashHeader);
  return Object.fromEntries(names.map((name) => [name, headers[name] ?? '']));
}
