import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { KubernetesError } from '../../../lib/kubernetes/kubernetes-error.ts';
import type { KubernetesErrorKind } from '../../../lib/kubernetes/kubernetes-error.ts';
import { trimNode } from '../../../lib/node/trim-node.ts';
import type { Event, Node, NodeCondition } from '../../../schemas/kubernetes.ts';
import type { RequestKind, RequestHooks } from './request-hooks.ts';

/** Nodes and events in memory, with versions and conflicts. It records each request. */
export interface MemoryApiServer {
  readonly client: KubernetesClient;
  /** The requests of the controller, as `patch Node a`, in order. Those that were refused end with the reason. */
  readonly requests: string[];
  readonly events: Pick<Event, 'type' | 'reason' | 'message' | 'involvedObject'>[];
  node(name: string): Node | undefined;
  put(node: Node): void;
  /** A change by another client. */
  change(name: string, change: (node: Node) => Node): void;
  delete(name: string): void;
  /** Delivers all changes in order. While it is held, it delivers them later. */
  onChange(listener: (kind: 'changed' | 'removed', node: Node) => void): void;
  holdWatch(): void;
  releaseWatch(): void;
}

export function createMemoryApiServer(hooks: RequestHooks): MemoryApiServer {
  const nodes = new Map<string, Node>();
  const requests: string[] = [];
  const events: MemoryApiServer['events'] = [];
  let version = 100;
  let listener: (kind: 'changed' | 'removed', node: Node) => void = () => {};
  let held: (() => void)[] | undefined;

  function notify(kind: 'changed' | 'removed', node: Node): void {
    const deliver = (): void => listener(kind, trimNode(node));
    if (held === undefined) queueMicrotask(deliver);
    else held.push(deliver);
  }
  function put(node: Node): Node {
    version += 1;
    const stored = { ...node, metadata: { ...node.metadata, resourceVersion: String(version) } };
    nodes.set(node.metadata.name, stored);
    notify('changed', stored);
    return stored;
  }
  function remove(node: Node): void {
    nodes.delete(node.metadata.name);
    notify('removed', node);
  }
  function find(name: string): Node {
    return nodes.get(name) ?? fail('not-found');
  }

  /** The answer, once the moments before and after it have passed. */
  async function respond<T>(step: RequestKind, name: string, execute: () => T): Promise<T> {
    await hooks.run(step, 'sent');
    const at = requests.push(`${step} ${name}`) - 1;
    try {
      return execute();
    } catch (error) {
      if (error instanceof KubernetesError) requests[at] = `${step} ${name}: ${error.kind}`;
      throw error;
    } finally {
      await hooks.run(step, 'answered');
    }
  }
  const client: KubernetesClient = {
    ...unsupported,
    get: async ({ kind }, { name }) => {
      const lease = { metadata: { name, uid: `uid-of-${name}` } };
      return (kind === 'Lease' ? lease : await respond('read Node', name, () => find(name))) as never;
    },
    patch: async (_resource, target, { type, body }) => {
      const isCondition = type === 'strategic-merge';
      const plain = target.subresource === undefined ? 'patch Node' : 'patch status';
      const step = isCondition ? 'patch condition' : plain;
      const patched = await respond(step, target.name, () => {
        const node = find(target.name);
        const patch = body as NodePatch;
        const wanted = { uid: target.uid, ...patch.metadata };
        if (wanted.uid !== undefined && wanted.uid !== node.metadata.uid) fail('conflict');
        if ((wanted.resourceVersion ?? node.metadata.resourceVersion) !== node.metadata.resourceVersion) {
          fail('conflict');
        }
        return put(isCondition ? withConditions(node, patch.status?.conditions ?? []) : merge(node, patch));
      });
      return patched as never;
    },
    delete: (_resource, { name, uid, resourceVersion: unchangedSince }) =>
      respond('delete Node', name, () => {
        const node = find(name);
        const { resourceVersion } = node.metadata;
        if (node.metadata.uid !== uid || (unchangedSince ?? resourceVersion) !== resourceVersion) fail('conflict');
        remove(node);
      }),
    create: async (_resource, draft) => {
      const event = draft as unknown as Event;
      const { name } = event.involvedObject;
      await respond('create event', name, () => events.push(event));
      return event as never;
    },
  };
  return {
    client,
    requests,
    events,
    node: (name) => nodes.get(name),
    put: (node) => void put(node),
    change: (name, change) => void put(change(find(name))),
    delete: (name) => remove(find(name)),
    onChange: (given) => {
      listener = given;
    },
    holdWatch: () => {
      held = [];
    },
    releaseWatch: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const deliver of waiting) deliver();
    },
  };
}

type NodePatch = { readonly [Part in 'metadata' | 'spec' | 'status']?: Partial<Node[Part]> };

function merge(node: Node, { metadata = {}, spec = {}, status = {} }: NodePatch): Node {
  const labels = { ...node.metadata.labels, ...metadata.labels };
  const annotations = { ...node.metadata.annotations, ...metadata.annotations };
  return {
    metadata: { ...node.metadata, labels, annotations },
    spec: { ...node.spec, ...spec },
    status: { ...node.status, ...status },
  };
}

function withConditions(node: Node, conditions: readonly NodeCondition[]): Node {
  const types = new Set(conditions.map(({ type }) => type));
  const others = (node.status.conditions ?? []).filter(({ type }) => !types.has(type));
  return { ...node, status: { ...node.status, conditions: [...others, ...conditions] } };
}

export function fail(kind: KubernetesErrorKind): never {
  throw new KubernetesError(kind, `the API server answers ${kind}`, { remedy: 'none in a test' });
}

function refuse(): never {
  throw new Error('the controller does not need this');
}

const unsupported = { list: refuse, pages: refuse, watch: refuse, evict: refuse, read: refuse, close: () => {} };
