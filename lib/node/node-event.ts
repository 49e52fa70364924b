import type { Event, Node } from '../../schemas/kubernetes.ts';
import type { Draft } from '../kubernetes/resources.ts';

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The component that reports the event. */
export interface EventSource {
  readonly component: string;
  /** This process. */
  readonly instance: string;
}

const longestMessageCharacters = 1_000;

/** An Event object that `kubectl describe node` shows. */
export function buildNodeEvent(
  node: Node,
  { type, reason, message }: NodeEvent,
  source: EventSource,
  atMs: number,
): Draft<Event> {
  const { name } = node.metadata;
  const at = new Date(atMs).toISOString();
  return {
    metadata: { namespace: 'default', generateName: `${name}.` },
    // The name in place of the UID, as in the kubelet's events: kubectl describe finds events of a Node by it.
    involvedObject: { apiVersion: 'v1', kind: 'Node', name, uid: name },
    reason,
    message: message.slice(0, longestMessageCharacters),
    type,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: source.component },
    reportingComponent: source.component,
    reportingInstance: source.instance,
  };
}
