import type { NodeEventReason } from '../../schemas/events.ts';
import type { Event } from '../../schemas/kubernetes.ts';
import type { Draft } from '../kubernetes/resources.ts';

export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: NodeEventReason;
  readonly message: string;
}

/** An event names its Node only by the name. */
export interface NamedNode {
  readonly metadata: { readonly name: string };
}

/** The component that reports the event. */
export interface EventSource {
  readonly component: string;
  /** This process. */
  readonly instance: string;
}

const longestMessageCharacters = 1_000;

/** An Event object that `kubectl describe node` shows. */
export function buildNodeEvent(node: NamedNode, event: NodeEvent, source: EventSource, atMs: number): Draft<Event> {
  const { name } = node.metadata;
  // The name in place of the UID, as in the kubelet's events: kubectl describe finds events of a Node by it.
  return buildEvent({ apiVersion: 'v1', kind: 'Node', name, uid: name }, event, source, atMs);
}

/** About any object. An object without a namespace has its events in `default`. */
export function buildEvent(
  involvedObject: Event['involvedObject'],
  { type, reason, message }: Pick<Event, 'type' | 'reason' | 'message'>,
  { component, instance }: EventSource,
  atMs: number,
): Draft<Event> {
  const at = new Date(atMs).toISOString();
  return {
    metadata: { namespace: involvedObject.namespace ?? 'default', generateName: `${involvedObject.name}.` },
    involvedObject,
    reason,
    message: message.slice(0, longestMessageCharacters),
    type,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component },
    reportingComponent: component,
    reportingInstance: instance,
  };
}
