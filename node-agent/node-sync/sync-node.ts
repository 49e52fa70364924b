import type { Context } from '../../lib/context.ts';
import type { Instance } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { failureReasonOf } from '../../lib/failure-reason.ts';
import { failureText } from '../../lib/failure-text.ts';
import { KubernetesError } from '../../lib/kubernetes/kubernetes-error.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { FailureFields } from '../../lib/log/failure-fields.ts';
import { factsOf } from '../../lib/node/facts.ts';
import { reconcileNode } from '../../lib/node/reconcile-node.ts';
import type { ReconcileResult } from '../../lib/node/reconcile-node.ts';
import type { NodeWriter } from '../../lib/node/node-writer.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import type { NodeEventReason } from '../../schemas/events.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { FailureReason } from '../../schemas/metrics/declaration.ts';
import type { NodeCloud } from '../detect.ts';
import { namesInstance, whyForeign, whyUnmanaged } from './ownership.ts';

/** The result of one attempt to sync the Node with its instance. */
export type SyncResult =
  | ({ readonly kind: 'synced'; readonly isNew: boolean; readonly hasUnread?: true } & Pick<
      ReconciledNode,
      'node' | 'writes' | 'changes'
    >)
  /** A dry run: `changes` would have been written. */
  | { readonly kind: 'planned'; readonly changes: readonly string[] }
  /** The agent must not write this Node. */
  | { readonly kind: 'left-alone'; readonly why: string }
  /** Another Node has this name now. The watch will deliver it. */
  | { readonly kind: 'replaced' }
  | FailedSync;

type ReconciledNode = Extract<ReconcileResult, { readonly kind: 'synced' }>;

export interface FailedSync {
  readonly kind: 'failed';
  /** As an event names it. */
  readonly reason: NodeEventReason;
  readonly message: string;
  /** The message in parts, for the log. */
  readonly failure: FailureFields;
  /** The kind of problem. Each kind is reported once, even if its text varies. */
  readonly problemKey: string;
  /** What the retry will ask. All nodes share the API server; the metadata service is local. */
  readonly source: 'machine' | 'api-server' | 'node';
  /** For the metrics. */
  readonly failureReason: FailureReason;
  readonly retryAfterMs: number | undefined;
}

export interface SyncDeps {
  readonly writer: NodeWriter;
  /** Returns the same cloud each time, once it is detected. */
  findCloud(context: Context): Promise<NodeCloud>;
  onMetadataRead(instance: Instance): void;
  onMetadataFailure(): void;
}

export async function syncNode(node: Node, deps: SyncDeps, context: Context): Promise<SyncResult> {
  const unmanaged = whyUnmanaged(node);
  if (unmanaged !== undefined) return { kind: 'left-alone', why: unmanaged };
  try {
    return await describeAndReconcile(node, deps, context);
  } catch (error) {
    return failed(error, isUninitialized(node) ? 'NodeInitFailed' : 'NodeUpdateFailed');
  }
}

async function describeAndReconcile(node: Node, deps: SyncDeps, context: Context): Promise<SyncResult> {
  const cloud = await deps.findCloud(context);
  const foreign = whyForeign(node, cloud);
  if (foreign !== undefined) return { kind: 'left-alone', why: foreign };
  const instance = await describeInstance(node, cloud, deps, context);
  if (!namesInstance(node, instance)) return instanceMismatch(node, instance);
  const ownAnnotations = { [keys.describedByAgent]: cloud.name };
  const result = await reconcileNode(node, instance, ownAnnotations, deps.writer);
  if (result.kind === 'replaced' || result.kind === 'planned') return result;
  if (result.kind === 'refused') return refused(result.reason, result.message);
  return { ...result, isNew: isUninitialized(node), ...(instance.unread !== undefined && { hasUnread: true }) };
}

async function describeInstance(node: Node, cloud: NodeCloud, deps: SyncDeps, context: Context): Promise<Instance> {
  try {
    const instance = await cloud.metadata.describe(factsOf(node), context);
    deps.onMetadataRead(instance);
    return instance;
  } catch (error) {
    deps.onMetadataFailure();
    throw error;
  }
}

function instanceMismatch({ spec }: Node, { providerId }: Instance): FailedSync {
  const message = `the Node's providerID is ${spec.providerID ?? ''}, but this machine is ${providerId}; hint: check the kubelet's --provider-id and the agent's --node-name`;
  return refused('ProviderIDMismatch', message);
}

function refused(reason: NodeEventReason, message: string): FailedSync {
  const failure = { err: message };
  const [failureReason, retryAfterMs] = ['misconfigured', undefined] as const;
  return { kind: 'failed', reason, message, failure, problemKey: reason, source: 'node', failureReason, retryAfterMs };
}

function failed(error: unknown, reason: NodeEventReason): FailedSync {
  const known = error instanceof Failure || error instanceof KubernetesError;
  const kind = known ? error.kind : 'unexpected';
  const source = error instanceof KubernetesError ? 'api-server' : 'machine';
  const retryAfterMs = known ? error.retryAfterMs : undefined;
  return {
    kind: 'failed',
    reason,
    message: failureText(error),
    failure: failureFields(error),
    problemKey: `${reason} ${source} ${kind}`,
    source,
    failureReason: failureReasonOf(error),
    retryAfterMs,
  };
}
