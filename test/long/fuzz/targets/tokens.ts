import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { claimsOf } from '../../../../clouds/gcp/identity/signed-token.ts';
import { Secret } from '../../../../lib/secret.ts';
import type { ClusterKeys, TokenIssuer } from '../../../../node-agent/broker/tokens/cluster-keys.ts';
import { parseKeys } from '../../../../node-agent/broker/tokens/parse-keys.ts';
import { readClaims, readTokenExpiry } from '../../../../node-agent/broker/tokens/read-claims.ts';
import { verifyToken } from '../../../../node-agent/broker/tokens/verify-token.ts';
import type { Random } from '../../../support/random.ts';
import { mutateText, mutateValue } from '../../generated/mutate.ts';
import { oddText, oddValue } from '../../generated/odd-values.ts';
import { attempt, checkError } from '../target.ts';
import type { FuzzTarget, FuzzCase } from '../target.ts';

/** A key of the cluster, and a foreign key with the same key id. */
interface Signer {
  readonly id: string;
  readonly algorithm: string;
  readonly hash: string;
  readonly own: KeyObject;
  readonly others: KeyObject;
}

const issuerName = 'https://kubernetes.default.svc';
const signers: readonly Signer[] = [
  makeSigner('RS256', 'sha256', () => generateKeyPairSync('rsa', { modulusLength: 2_048 })),
  makeSigner('ES256', 'sha256', () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })),
  makeSigner('ES384', 'sha384', () => generateKeyPairSync('ec', { namedCurve: 'secp384r1' })),
  makeSigner('ES512', 'sha512', () => generateKeyPairSync('ec', { namedCurve: 'secp521r1' })),
];
const keySet = {
  keys: [
    ...signers.map(({ id, own }) => ({ ...publicJwk(own), kid: id })),
    // A published symmetric key must not verify any token.
    { kty: 'oct', k: 'AAAA', kid: 'shared' },
  ],
};

function makeSigner(algorithm: string, hash: string, make: () => { readonly privateKey: KeyObject }): Signer {
  return { id: `key ${algorithm}`, algorithm, hash, own: make().privateKey, others: make().privateKey };
}

function publicJwk(key: KeyObject): object {
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...rest } = key.export({ format: 'jwk' });
  return rest;
}

interface Case {
  readonly token: string;
  readonly nowMs: number;
  /** Whose it is if it has to be believed; the signature is over exactly this. */
  readonly proven: object | undefined;
}

const nowMs = Date.parse('2026-01-01T00:00:00Z');

/** A token as the API server signs it, then most often spoilt in one place. */
function makeCase(random: Random): Case {
  const signer = random.pick(signers);
  const audiences = random.pick([['sts.amazonaws.com'], ['a', 'b']]);
  const account = { name: random.characters('abc', 5), uid: random.characters('0123456789abcdef', 8) };
  const lifeS = random.between(-100, 100);
  const claims = {
    iss: issuerName,
    aud: random.chance(0.3) && audiences.length === 1 ? audiences[0] : audiences,
    exp: nowMs / 1_000 + lifeS,
    ...(random.chance(0.7) && { nbf: nowMs / 1_000 - random.between(-5, 50) }),
    sub: `system:serviceaccount:default:${account.name}`,
    'kubernetes.io': { namespace: 'default', serviceaccount: account },
  };
  const head = { alg: signer.algorithm, kid: signer.id };
  const good = signed(signer, signer.own, head, claims);
  const isInTime = lifeS > 0 && (claims.nbf ?? 0) <= nowMs / 1_000;
  const owner = {
    issuer: issuerName,
    audiences,
    namespace: 'default',
    serviceAccount: account.name,
    serviceAccountUid: account.uid,
  };
  const spoilt = random.chance(0.3) ? undefined : damageToken(random, { signer, head, claims, good });
  return { token: spoilt ?? good, nowMs, proven: spoilt === undefined && isInTime ? owner : undefined };
}

interface ValidToken {
  readonly signer: Signer;
  readonly head: object;
  readonly claims: object;
  readonly good: string;
}

/** None of these is proven. */
function damageToken(random: Random, { signer, head, claims, good }: ValidToken): string | undefined {
  const [headPart = '', body = '', signature = ''] = good.split('.');
  const { own, others } = signer;
  const other = random.pick(signers);
  const token = random.pickWeighted<() => string>([
    [2, () => signed(signer, others, head, claims)],
    [2, () => [headPart, encode({ ...claims, sub: 'another' }), signature].join('.')],
    [2, () => [headPart, encode(mutateValue(random, claims) ?? null), signature].join('.')],
    [
      2,
      () =>
        [
          encode({
            ...head,
            alg: random.pick(['none', 'HS256', '', 'ES256K', 'PS256', other.algorithm, oddText(random)]),
          }),
          body,
          signature,
        ].join('.'),
    ],
    [
      1,
      () =>
        [
          encode({ ...head, kid: random.pick(['shared', other.id, oddText(random), '__proto__']) }),
          body,
          signature,
        ].join('.'),
    ],
    [
      1,
      () =>
        [
          headPart,
          body,
          random.pick(['', 'AAAA', Buffer.alloc(64).toString('base64url'), Buffer.alloc(256, 1).toString('base64url')]),
        ].join('.'),
    ],
    [
      1,
      () =>
        signed(signer, own, head, {
          ...claims,
          iss: random.pick(['https://elsewhere.example', `${issuerName}/`, oddValue(random)]),
        }),
    ],
    [1, () => signed(signer, own, head, without(random, claims))],
    [1, () => signed(signer, own, { ...head, kid: 'shared' }, claims)],
    [3, () => mutateText(random, good)],
  ])();
  // Chance can leave what is signed as it was.
  return token.split('.').slice(0, 2).join('.') === good.split('.').slice(0, 2).join('.') && sameSignature(token, good)
    ? undefined
    : token;
}

function sameSignature(token: string, good: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 &&
    Buffer.from(parts[2] ?? '', 'base64url').equals(Buffer.from(good.split('.')[2] ?? '', 'base64url'))
  );
}

function without(random: Random, claims: object): object {
  const names = ['iss', 'aud', 'exp', 'kubernetes.io'];
  const gone = random.pick(names);
  return Object.fromEntries(Object.entries(claims).filter(([name]) => name !== gone));
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function signed({ hash }: Signer, key: KeyObject, head: object, claims: object): string {
  const text = `${encode(head)}.${encode(claims)}`;
  return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function keysOf(issuer: TokenIssuer): ClusterKeys {
  return { issuerOf: async () => issuer };
}

const issuer: TokenIssuer = { name: issuerName, keys: parseKeys(JSON.stringify(keySet)) };

const tokenCase =
  (verify: typeof verifyToken): FuzzCase =>
  async (random) => {
    const { token, nowMs: at, proven } = makeCase(random);
    const owner = await verify(token, keysOf(issuer), at);
    const isRight = isDeepStrictEqual(owner, proven);
    const problem = `${token} at ${at} is believed as ${JSON.stringify(owner)}, right is ${JSON.stringify(proven)}`;
    const problems = isRight ? [] : [problem];
    return { end: proven === undefined ? 'not proven' : 'proven', problems: [...problems, ...checkReaders(token)] };
  };

/** Those that read without a check of the signature: they say the same, and none throws. */
function checkReaders(token: string): readonly string[] {
  const claims = readClaims(token);
  const endMs = readTokenExpiry(token);
  const said = claimsOf(new Secret(token))?.exp;
  return [
    ...(claims !== undefined && claims.expiresAtMs !== endMs ? ['two ends of one token'] : []),
    ...(said !== undefined && said * 1_000 !== endMs ? ['another end by the reader of Google'] : []),
  ];
}

/** The cluster's answer: a key that is read is one of those that were sent, and never one that is shared. */
const keysCase =
  (parse: typeof parseKeys): FuzzCase =>
  async (random) => {
    const text = random.chance(0.5)
      ? JSON.stringify(mutateValue(random, keySet))
      : mutateText(random, JSON.stringify(keySet));
    const result = await attempt(() => parse(text));
    if ('error' in result) {
      return { end: 'no keys', problems: checkError(result.error) };
    }
    const isOdd = [...result.value.values()].some((key) => key.type !== 'public');
    return { end: 'keys', problems: isOdd ? [`a key that is not public in ${text}`] : [] };
  };

export const tokens: FuzzTarget = {
  name: 'tokens of pods',
  runCase: (random) => (random.chance(0.8) ? tokenCase(verifyToken)(random) : keysCase(parseKeys)(random)),
  ends: ['proven', 'not proven', 'keys', 'no keys'],
  planted: {
    'an end that has passed counts': tokenCase((token, keys) => verifyToken(token, keys, nowMs - 60_000)),
    'the issuer does not matter': tokenCase((token, keys, at) => {
      const name = readClaims(token)?.issuer ?? '';
      return verifyToken(
        token,
        { issuerOf: async (id) => ({ name, keys: (await keys.issuerOf(id))?.keys ?? new Map() }) },
        at,
      );
    }),
    'claims are believed without a signature': tokenCase(async (token, _keys, at) => {
      const claims = readClaims(token);
      if (claims === undefined || claims.expiresAtMs <= at || claims.notBeforeMs > at) {
        return undefined;
      }
      const { audiences, namespace, serviceAccount, serviceAccountUid } = claims;
      return { issuer: claims.issuer, audiences, namespace, serviceAccount, serviceAccountUid };
    }),
    'an error of the parser comes through': keysCase((text) => new Map(Object.entries(JSON.parse(text) as object))),
  },
};
