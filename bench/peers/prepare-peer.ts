import { prepareSet } from '../../test/lab/control-plane/program-set.ts';
import { peerModules } from './peers.ts';
import type { PeerName } from './peers.ts';

/** Where this program of others is. It is built if it is missing, which takes minutes, once; says so all the while. */
export async function preparePeer(name: PeerName, log: (line: string) => void): Promise<string> {
  const modules = peerModules.filter(({ packages }) => packages[name] !== undefined);
  const found = await prepareSet({ title: name, names: [name], modules }, log);
  if (!found.available) throw new Error(found.reason);
  return found.programs[name];
}
