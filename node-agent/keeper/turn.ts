import type { Context } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { failureText } from '../../lib/failure-text.ts';
import { KubernetesError } from '../../lib/kubernetes/kubernetes-error.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { FailureFields } from '../../lib/log/failure-fields.ts';
import { factsOf } from '../../lib/node/facts.ts';
import type { Instance } from '../../lib/node/instance.ts';
import { makeTrue } from '../../lib/node/make-true.ts';
import type { Made } from '../../lib/node/make-true.ts';
import type { NodeWriter } from '../../lib/node/node-writer.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { OwnCloud } from '../detect.ts';
import { namesInstance, whyForeign, whyUnmanaged } from './whose.ts';

/** What came of one attempt to make the Node true to its machine. */
export type Turn =
  | ({ readonly kind: 'true'; readonly isNew: boolean } & Pick<MadeTrue, 'node' | 'writes' | 'changes'>)
  /** A dry run: `changes` would have been written. */
  | { readonly kind: 'planned'; readonly changes: readonly string[] }
  /** Not ours to write. */
  | { readonly kind: 'left-alone'; readonly why: string }
  /** Another Node has its name by now, and the watch is about to tell. */
  | { readonly kind: 'replaced' }
  | FailedTurn;

type MadeTrue = Extract<Made, { readonly kind: 'true' }>;

export interface FailedTurn {
  readonly kind: 'failed';
  /** As an event names it. */
  readonly reason: string;
  readonly message: string;
  /** The message in parts, for the log. */
  readonly failure: FailureFields;
  /** What kind of trouble: another kind is worth telling, the same in other words is not. */
  readonly trouble: string;
  /** Who is to be asked again: the API server is everybody's, the metadata service this machine's alone. */
  readonly of: 'machine' | 'api-server' | 'node';
  readonly retryAfterMs: number | undefined;
}

export interface TurnParts {
  readonly writer: NodeWriter;
  /** The same one each time, once it is found. */
  cloud(context: Context): Promise<OwnCloud>;
  learnt(instance: Instance): void;
  couldNotRead(): void;
}

export async function takeTurn(node: Node, parts: TurnParts, context: Context): Promise<Turn> {
  const unmanaged = whyUnmanaged(node);
  if (unmanaged !== undefined) return { kind: 'left-alone', why: unmanaged };
  try {
    return await describeAndWrite(node, parts, context);
  } catch (error) {
    return failed(error, isUninitialized(node) ? 'NodeInitFailed' : 'NodeUpdateFailed');
  }
}

async function describeAndWrite(node: Node, parts: TurnParts, context: Context): Promise<Turn> {
  const cloud = await parts.cloud(context);
  const foreign = whyForeign(node, cloud);
  if (foreign !== undefined) return { kind: 'left-alone', why: foreign };
  const instance = await describe(node, cloud, parts, context);
  if (!namesInstance(node, instance)) return anotherInstance(node, instance);
  const marks = { [keys.describedByAgent]: cloud.name };
  const made = await makeTrue(node, instance, marks, parts.writer);
  if (made.kind === 'replaced' || made.kind === 'planned') return made;
  if (made.kind === 'refused') return refused(made.reason, made.message);
  return { ...made, isNew: isUninitialized(node) };
}

async function describe(node: Node, cloud: OwnCloud, parts: TurnParts, context: Context): Promise<Instance> {
  try {
    const instance = await cloud.metadata.describe(factsOf(node), context);
    parts.learnt(instance);
    return instance;
  } catch (error) {
    parts.couldNotRead();
    throw error;
  }
}

function anotherInstance({ spec }: Node, { providerId }: Instance): FailedTurn {
  const message = `the Node's providerID is ${spec.providerID ?? ''}, and this machine is ${providerId}; check the kubelet's --provider-id and which Node this agent was started for`;
  return refused('ProviderIDMismatch', message);
}

function refused(reason: string, message: string): FailedTurn {
  const failure = { err: message };
  return { kind: 'failed', reason, message, failure, trouble: reason, of: 'node', retryAfterMs: undefined };
}

function failed(error: unknown, reason: string): FailedTurn {
  const known = error instanceof Failure || error instanceof KubernetesError;
  const kind = known ? error.kind : 'unexpected';
  const of = error instanceof KubernetesError ? 'api-server' : 'machine';
  const retryAfterMs = known ? error.retryAfterMs : undefined;
  return {
    kind: 'failed',
    reason,
    message: failureText(error),
    failure: failureFields(error),
    trouble: `${reason} ${of} ${kind}`,
    of,
    retryAfterMs,
  };
}
