import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import type { ImageReference } from '../image-reference.ts';
import { findRegistry } from './find-registry.ts';
import type { Catalogue, Found } from './find-registry.ts';
import type { Request } from './parse-request.ts';
import type { Identity } from './registry.ts';

/** What a program does in its own way when it answers; ours goes by other names too, and then it does as they do. */
export interface Manner {
  /** `undefined`: it is nobody's. */
  find(image: ImageReference, catalogue: Catalogue): Promise<Found | undefined>;
  /** Another service may have to give the login than the one that was found. */
  serve(found: Found, request: Request): Found;
  identify(request: Request, found: Found): Identity;
  dress(answer: CredentialProviderResponse, found: Found): CredentialProviderResponse;
}

export const ownManner: Manner = {
  find: findRegistry,
  serve: (found) => found,
  identify: (request, found) => podIdentity(request) ?? nodeIdentity(found),
  dress: (answer) => answer,
};

type TokenIdentity = Extract<Identity, { readonly kind: 'token' }>;

/** A pod identity is used exactly when the kubelet sends a token. */
export function podIdentity({ token, annotations }: Request): TokenIdentity | undefined {
  return token && { kind: 'token', token, role: annotations };
}

export function nodeIdentity({ node: { nodeIdentity: select, role } }: Found): Identity {
  return { kind: 'node', ...(select !== undefined && { select }), ...(role !== undefined && { role }) };
}
