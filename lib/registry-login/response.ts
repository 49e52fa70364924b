import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import { printGoDuration } from '../go-duration.ts';
import type { Login } from '../../clouds/cloud.ts';

type ApiVersion = CredentialProviderResponse['apiVersion'];

const msPerSecond = 1_000;
const msPerMinute = 60 * msPerSecond;
/** A pull that starts with a login just before it leaves the cache must still be able to finish. */
export const slowPullMs = 15 * msPerMinute;
/** No registry issues a longer login; a later date is an error of the registry and must not fill the cache for years. */
const maxLifeMs = 24 * 60 * msPerMinute;

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

/** For an image from an unknown registry. `0s`: a later configuration change must take effect at once. */
export function emptyResponse(apiVersion: ApiVersion): CredentialProviderResponse {
  return { kind: 'CredentialProviderResponse', apiVersion, cacheKeyType: 'Image', cacheDuration: '0s', auth: {} };
}

/** The smaller of half the remaining life and that life less `slowPullMs`; 0 without an expiry. */
export function cacheForMs(expiresAtMs: number | undefined, nowMs: number): number {
  if (expiresAtMs === undefined) return 0;
  const lifeMs = Math.min(expiresAtMs - nowMs, maxLifeMs);
  return Math.max(0, Math.min(lifeMs / 2, lifeMs - slowPullMs));
}

function inWholeSeconds(durationMs: number): number {
  return durationMs - (durationMs % msPerSecond);
}
