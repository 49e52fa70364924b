import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import type { ImageReference } from '../image-reference.ts';
import { resolveRegistry } from './resolve-registry.ts';
import type { ConfiguredClouds, ResolvedRegistry } from './resolve-registry.ts';
import type { ParsedRequest } from './parse-request.ts';
import type { Identity } from './registry.ts';

/** What a program does in its own way when it answers; ours goes by other names too, and then it does as they do. */
export interface ProviderBehavior {
  /** `undefined`: it is nobody's. */
  resolveRegistry(image: ImageReference, configuredClouds: ConfiguredClouds): Promise<ResolvedRegistry | undefined>;
  /** Another service may have to give the login than the one that was found. */
  chooseService(resolved: ResolvedRegistry, request: ParsedRequest): ResolvedRegistry;
  identityFor(request: ParsedRequest, resolved: ResolvedRegistry): Identity;
  formatResponse(response: CredentialProviderResponse, resolved: ResolvedRegistry): CredentialProviderResponse;
}

export const defaultBehavior: ProviderBehavior = {
  resolveRegistry,
  chooseService: (resolved) => resolved,
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
