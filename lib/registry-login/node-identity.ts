import type { Context } from '../context.ts';
import type { Secret } from '../secret.ts';

/** A signed token that says to others which node, or which role of it, this is. */
export interface NodeIdentity {
  issueToken(audience: string, select: string | undefined, context: Context): Promise<IdentityToken>;
}

export interface IdentityToken {
  readonly token: Secret;
  readonly expiresAtMs: number;
}
