import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { printGoDuration } from '../go-duration.ts';
import type { Login } from './registry.ts';

type ApiVersion = CredentialProviderResponse['apiVersion'];

const msPerSecond = 1_000;
const msPerMinute = 60 * msPerSecond;
/** A pull that begins with the login's last use must still be able to finish. */
export const slowPullMs = 15 * msPerMinute;
/** No registry's login lives longer; a date beyond it is a mistake and must not be believed for years. */
const maxLifeMs = 24 * 60 * msPerMinute;

/** What a login is for. */
interface ServedRegistry {
  readonly authKey: string;
  readonly servesWholeHost: boolean;
}

export function toResponse(
  apiVersion: ApiVersion,
  registry: ServedRegistry,
  login: Login,
  nowMs: number,
): CredentialProviderResponse {
  return {
    kind: 'CredentialProviderResponse',
    apiVersion,
    cacheKeyType: registry.servesWholeHost ? 'Registry' : 'Image',
    cacheDuration: printGoDuration(inWholeSeconds(cacheForMs(login.expiresAtMs, nowMs))),
    auth: { [registry.authKey]: { username: login.username, password: login.password.reveal() } },
  };
}

/** The kubelet caches this answer too, but not for a moment: what is nobody's today may be configured tomorrow. */
export function emptyResponse(apiVersion: ApiVersion): CredentialProviderResponse {
  return { kind: 'CredentialProviderResponse', apiVersion, cacheKeyType: 'Image', cacheDuration: '0s', auth: {} };
}

/** Without an expiry there is no telling how long, so not at all. */
export function cacheForMs(expiresAtMs: number | undefined, nowMs: number): number {
  if (expiresAtMs === undefined) return 0;
  const lifeMs = Math.min(expiresAtMs - nowMs, maxLifeMs);
  return Math.max(0, Math.min(lifeMs / 2, lifeMs - slowPullMs));
}

function inWholeSeconds(durationMs: number): number {
  return durationMs - (durationMs % msPerSecond);
}
