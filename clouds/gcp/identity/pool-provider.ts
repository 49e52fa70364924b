import { Failure } from '../../../lib/failure.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { firstAnnotation } from './service-account.ts';
import { claimsOf } from './signed-token.ts';

/** `projects/NUMBER/…/providers/NAME`, alone or with Google's host before it, as in consoles and audiences. */
const providerPattern =
  /^(?:(?:https:)?\/\/iam\.googleapis\.com\/)?(?<name>projects\/\d{1,20}\/locations\/[a-z0-9-]{1,32}\/workloadIdentityPools\/[a-z0-9-]{1,64}\/providers\/[a-z0-9-]{1,64})$/;
/** The pool of a GKE cluster needs no provider: the pool is the token's audience, and the provider is its issuer. */
const clusterPoolPattern = /^[a-z][a-z0-9.:-]{4,100}\.svc\.id\.goog$/;
const clusterIssuerPattern = /^https:\/\/(?:container|gkehub)\.googleapis\.com\/[\w./-]{1,300}$/;
/** The same as credentials files write it. */
const clusterAudiencePattern = /^identitynamespace:[a-z][a-z0-9.:-]{4,100}\.svc\.id\.goog:https:\/\/[\w./:-]{1,300}$/;

/** The audience by which STS knows a provider; `undefined`: the text names none. */
export function audienceOf(text: string): string | undefined {
  if (clusterAudiencePattern.test(text)) return text;
  const name = providerPattern.exec(text)?.groups?.['name'];
  return name && `//iam.googleapis.com/${name}`;
}

/**
 * The provider that a pod's token is sent to: from the annotation of its service account, else from the configuration,
 * else from the token's audience. The token's claims need not be checked here, since Google's STS checks them.
 */
export function poolProviderFor(
  token: Secret,
  annotations: Readonly<Record<string, string>>,
  config: GcpConfig,
): string {
  const named = firstAnnotation(annotations, config.providerAnnotations);
  if (named !== undefined) {
    return audienceOf(named.value) ?? invalidProvider(named.key);
  }
  const { workloadIdentityProvider: configured } = config;
  if (configured !== undefined) return audienceOf(configured) ?? invalidProvider('gcp.workloadIdentityProvider');
  return audienceByToken(token) ?? noPool(config);
}

function audienceByToken(token: Secret): string | undefined {
  const { iss = '', aud = [] } = claimsOf(token) ?? {};
  const audiences = [aud].flat();
  const pool = audiences.find((each) => clusterPoolPattern.test(each));
  if (pool !== undefined && clusterIssuerPattern.test(iss)) return `identitynamespace:${pool}:${iss}`;
  return audiences.map(audienceOf).find((each) => each !== undefined);
}

function invalidProvider(where: string): never {
  throw new Failure('misconfigured', `${where} is not the name of a workload identity pool's provider`, {
    remedy: 'write it as projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER',
  });
}

function noPool({ providerAnnotations }: GcpConfig): never {
  throw new Failure('misconfigured', "the token was made for no workload identity pool of Google's", {
    remedy: `let serviceAccountTokenAudience be https://iam.googleapis.com/projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER, or annotate the service account with ${providerAnnotations[0]}`,
  });
}
