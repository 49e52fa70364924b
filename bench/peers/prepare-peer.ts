import { prepareSet } from '../../build/go-programs/program-set.ts';
import { peerModules } from './peers.ts';
import type { PeerName } from './peers.ts';

/** The path of a peer's program. If it is missing, it is built once, which takes minutes and is logged. */
export async function preparePeer(name: PeerName, log: (line: string) => void): Promise<string> {
  const modules = peerModules.filter(({ packages }) => packages[name] !== undefined);
  const found = await prepareSet({ title: name, names: [name], modules }, log);
  if (!found.available) throw new Error(found.reason);
  return found.programs[name];
}
