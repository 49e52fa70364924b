import { isDeepStrictEqual } from 'node:util';
import type { GeneratedCase } from './generated-case.ts';
import { cloudOf, isUnmatched, parseObject } from './case-facts.ts';

/** Does standard output hold what a kubelet decodes, strictly, and nothing else? */
export function checkResponse(stdout: string, generated: GeneratedCase): readonly string[] {
  if (!/^\{.*\}\n$/.test(stdout)) return ['standard output is not one object on one line'];
  const response = parseObject(Buffer.from(stdout));
  const { auth, ...rest } = response;
  if (!isDeepStrictEqual(Object.keys(response).toSorted(), fields)) return [`fields ${Object.keys(response).join()}`];
  if (typeof auth !== 'object' || auth === null) return ['auth is no object'];
  return [
    ...checkHead(rest, generated),
    ...checkAuth({ ...auth }, generated),
    ...checkOwner({ ...response }, generated),
  ];
}

const fields = ['apiVersion', 'auth', 'cacheDuration', 'cacheKeyType', 'kind'];
const keyTypes: readonly unknown[] = ['Image', 'Registry', 'Global'];
const longestCacheMs = 12 * 60 * 60 * 1_000;

type Json = Readonly<Record<string, unknown>>;

function checkHead(
  { kind, apiVersion, cacheKeyType, cacheDuration }: Json,
  { request }: GeneratedCase,
): readonly string[] {
  const cacheMs = typeof cacheDuration === 'string' ? goDurationMs(cacheDuration) : undefined;
  return [
    ...(kind === 'CredentialProviderResponse' ? [] : ['wrong kind']),
    ...(apiVersion === parseObject(request.bytes)['apiVersion'] ? [] : ['not the version of the request']),
    ...(keyTypes.includes(cacheKeyType) ? [] : [`cacheKeyType ${String(cacheKeyType)}`]),
    ...(cacheMs !== undefined && cacheMs >= 0 && cacheMs <= longestCacheMs
      ? []
      : [`cacheDuration ${String(cacheDuration)}`]),
  ];
}

function checkAuth(auth: Json, { request }: GeneratedCase): readonly string[] {
  const image = String(parseObject(request.bytes)['image']);
  return Object.entries(auth).flatMap(([key, login]) => [
    ...(covers(key, image) ? [] : [`auth for ${key}, which is not of the image`]),
    ...(isLogin(login) ? [] : ['a login that is not one user name and one password']),
  ]);
}

function checkOwner({ auth, cacheDuration }: Json, generated: GeneratedCase): readonly string[] {
  const isEmpty = isDeepStrictEqual({ auth, cacheDuration }, { auth: {}, cacheDuration: '0s' });
  const cloud = cloudOf(generated);
  return [
    ...(isUnmatched(generated) && !isEmpty ? ['a login for an image of nobody'] : []),
    ...(cloud !== undefined && isDeepStrictEqual(auth, {}) ? [`an empty answer for an image of ${cloud}`] : []),
  ];
}

/** As the kubelet takes an image for covered by a key; what names no registry is Docker Hub's. */
function covers(key: string, image: string): boolean {
  return [image, `docker.io/${image}`].some((name) => name.startsWith(key) && /^[/:@]/.test(name.slice(key.length)));
}

function isLogin(login: unknown): boolean {
  if (typeof login !== 'object' || login === null) return false;
  const { username, password, ...rest }: Json = { ...login };
  const isText = [username, password].every((text) => typeof text === 'string' && text !== '');
  return isText && Object.keys(rest).length === 0;
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const oneDuration = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;

/** What Go's time.ParseDuration makes of it; `undefined`: an error. */
export function goDurationMs(text: string): number | undefined {
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned.replace(oneDuration, '') !== '' || unsigned === '') return undefined;
  const parts = [...unsigned.matchAll(oneDuration)].map(([, count, unit]) => Number(count) * (unitMs[unit ?? ''] ?? 0));
  return parts.reduce((sum, part) => sum + part, 0) * (text.startsWith('-') ? -1 : 1);
}
