import type { PublicKey } from '../clouds/signed-token.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';

/** The keys that sign the cluster's service account tokens, for the clouds that trust them. */
export async function clusterKeys(plane: ControlPlane): Promise<readonly PublicKey[]> {
  const { body } = await plane.ask('GET', '/openid/v1/jwks');
  // Its type is not the usual one, so it comes as text.
  return (JSON.parse(String(body)) as { readonly keys: readonly PublicKey[] }).keys;
}
