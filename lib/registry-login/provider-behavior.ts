import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import type { ImageReference } from '../image-reference.ts';
import type { ParsedRequest } from './parse-request.ts';
import type { Identity } from '../../clouds/cloud.ts';
import { resolveRegistry } from './resolve-registry.ts';
import type { AvailableClouds, ResolvedRegistry } from './resolve-registry.ts';

/** The points where an emulated upstream provider differs from our own behavior. */
export interface ProviderBehavior {
  /** `undefined`: no registry that we serve. */
  resolveRegistry(
    image: ImageReference,
    config: Config,
    available: AvailableClouds,
  ): Promise<ResolvedRegistry | undefined>;
  identityFor(request: ParsedRequest, resolved: ResolvedRegistry): Identity;
  formatResponse(response: CredentialProviderResponse, resolved: ResolvedRegistry): CredentialProviderResponse;
}

export const defaultBehavior: ProviderBehavior = {
  resolveRegistry,
  identityFor: (request, resolved) => podIdentity(request) ?? nodeIdentity(resolved),
  formatResponse: (response) => response,
};

type TokenIdentity = Extract<Identity, { readonly kind: 'token' }>;

/** A pod identity is used exactly when the kubelet sends a token. */
export function podIdentity({ token, annotations }: ParsedRequest): TokenIdentity | undefined {
  return token && { kind: 'token', token, role: annotations };
}

export function nodeIdentity({ node: { nodeIdentity: select, role } }: ResolvedRegistry): Identity {
  return { kind: 'node', ...(select !== undefined && { select }), ...(role !== undefined && { role }) };
}
