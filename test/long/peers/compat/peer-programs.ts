import { peerModules } from '../../../../bench/peers/peers.ts';
import { findSet, prepareSet } from '../../../../build/go-programs/program-set.ts';
import type { FoundSet } from '../../../../build/go-programs/program-set.ts';
import type { Support } from '../../../lab/requires.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';

const names = ['ecr-credential-provider', 'acr-credential-provider'] as const;
export type PeerProvider = (typeof names)[number];

const set = {
  title: 'the comparison with the Go providers',
  names,
  modules: peerModules.filter(({ packages }) => names.some((name) => packages[name] !== undefined)),
};

/** Where the programs are in whose place we can be; Google's cannot be built from the module proxy. */
export function findPeerProviders(): Promise<FoundSet<PeerProvider>> {
  return findSet(set);
}

/** The same, and what is missing is built, which takes minutes, once. */
export function preparePeerProviders(log: (line: string) => void): Promise<FoundSet<PeerProvider>> {
  return prepareSet(set, log);
}

/** Can they be compared with here? */
export async function peerSupport(): Promise<Support> {
  const namespaces = await namespaceSupport();
  return namespaces.available ? findPeerProviders() : namespaces;
}
