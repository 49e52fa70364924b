import { createPrivateKey, randomUUID } from 'node:crypto';
import { signToken } from '../token-signer.ts';
import { accountOf, arnOf, isAllowed, principalArnOf } from './principals.ts';
import type { XmlTree } from './query-protocol.ts';
import { deny, refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { AccessKey, AwsState } from './state.ts';

export interface WebIdentityTokenCall {
  readonly input: Readonly<Record<string, string>>;
  readonly state: AwsState;
  readonly nowMs: number;
  readonly host: string;
}

const action = 'sts:GetWebIdentityToken';
const globalHost = 'sts.amazonaws.com';
const defaultDurationS = 300;
const shortestDurationS = 60;
const longestDurationS = 3600;

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetWebIdentityToken.html */
export function getWebIdentityToken(
  { input, state, nowMs, host }: WebIdentityTokenCall,
  key: AccessKey,
): XmlTree | Refusal {
  const audience = input['Audience.member.1'] ?? '';
  const durationS = Number(input['DurationSeconds'] ?? defaultDurationS);
  if (host === globalHost) return refuse('unknown-operation', 'The global endpoint has no GetWebIdentityToken');
  if (!isAllowed(state, key, action)) return deny(arnOf(state, key), action);
  if (state.outbound === null) return refuse('switched-off', 'Outbound web identity federation is disabled');
  if (audience === '' || input['SigningAlgorithm'] !== 'RS256') {
    return refuse('invalid-parameter', 'Audience and RS256 are needed');
  }
  if (!(durationS >= shortestDurationS && durationS <= longestDurationS)) {
    return refuse('invalid-parameter', "Value at 'durationSeconds' failed to satisfy constraint: 60 to 3600");
  }
  const issuedAtS = Math.floor(nowMs / 1000);
  const claims = {
    iss: state.outbound.issuer,
    sub: principalArnOf(state, key),
    aud: audience,
    iat: issuedAtS,
    exp: issuedAtS + durationS,
    jti: randomUUID(),
    'https://sts.amazonaws.com/': { aws_account: accountOf(state, key), principal_id: arnOf(state, key) },
  };
  const signingKey = createPrivateKey({ key: state.outbound.key, format: 'jwk' });
  return {
    WebIdentityToken: signToken(claims, { algorithm: 'RS256', kid: state.outbound.key.kid, key: signingKey }),
    Expiration: new Date((issuedAtS + durationS) * 1000).toISOString(),
  };
}
