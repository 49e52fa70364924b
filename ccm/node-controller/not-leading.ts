import type { Cluster } from './cluster.ts';
import { LeadershipLost } from './leadership-lost.ts';

/** What somebody who does not lead may do to the cluster. */
export const notLeading: Cluster = {
  read: refuse,
  patch: refuse,
  patchStatus: refuse,
  setCondition: refuse,
  deleteNode: refuse,
  recordEvent: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(new LeadershipLost('this process does not lead'));
}
