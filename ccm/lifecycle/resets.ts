import type { Observation } from './observation.ts';
import type { NodeRecord } from './record.ts';
import { isFound } from './result-kinds.ts';

/** An observation that voids all earlier sightings. */
export interface Reset {
  readonly name: string;
  readonly reason: string;
  applies(record: NodeRecord, observation: Observation, nowMs: number): boolean;
}

/**
 * `unknown` is not one of them: it proves nothing, and a cloud that fails every third call must not keep the Nodes of
 * instances that are gone.
 */
export const resets: readonly Reset[] = [
  {
    name: 'another-node',
    reason: 'this is another Node of the same name',
    applies: (record, { uid }) => record.uid !== uid,
  },
  {
    name: 'another-id',
    reason: 'the providerID is another one',
    applies: (record, { providerId }) => record.providerId !== providerId,
  },
  {
    name: 'clock-went-back',
    reason: 'the clock went back',
    applies: (record, _, nowMs) => !(nowMs >= record.lastAtMs),
  },
  { name: 'ready', reason: 'the Node is Ready', applies: (_, { ready }) => ready },
  {
    name: 'present',
    reason: 'the cloud has the instance',
    applies: (_, { lookup }) => isFound(lookup?.result),
  },
  {
    name: 'ambiguous',
    reason: 'several instances could be the one',
    applies: (_, { lookup }) => lookup?.result.status === 'ambiguous',
  },
];
