import type { Event, Node } from '../../schemas/kubernetes.ts';
import type { Draft } from '../kubernetes/resources.ts';

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Who tells it. */
export interface EventSource {
  readonly component: string;
  /** This process. */
  readonly instance: string;
}

const longestMessageCharacters = 1_000;

/** What is created so that `kubectl describe node` shows it. */
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
    // kubectl describe finds a Node's events by its name in the place of the UID, as the kubelet writes them.
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
