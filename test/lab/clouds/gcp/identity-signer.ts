import { createTokenSigner } from '../token-signer.ts';

/** Signs for all of this process: the key stays when the state is set back, as Google's would. */
export const identitySigner = createTokenSigner('RS256');
