import type { LookupContext, LookupResult, NodeUid } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { canaryOf } from '../lifecycle/canary.ts';
import type { Canary } from '../lifecycle/canary.ts';
import { isGone } from '../lifecycle/result-kinds.ts';
import { resolveReusedName } from '../lifecycle/reused-name.ts';
import type { CloudScope } from './ownership.ts';
import { machineOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';
import { leftOutResult } from './combine-lookups.ts';

export interface LookupResponse {
  readonly results: ReadonlyMap<NodeUid, LookupResult>;
  readonly canary: Canary;
  /** Present if no request succeeded; every result is `unknown` then. */
  readonly failure?: Failure;
  /** One of several requests was throttled: the whole scope has to be called less. */
  readonly throttled?: Failure;
}

/** A Node to look up. */
export type LookupTarget = Pick<TrackedNode, 'facts' | 'node' | 'lastMachine'>;

export interface BatchRequest {
  readonly nodes: readonly LookupTarget[];
  /** Ready nodes of the scope. */
  readonly verify: readonly LookupTarget[];
}

/** Looks up one batch in one scope. Never throws: a node that could not be looked up has the result `unknown`. */
export async function lookUpInScope(
  { cloud, scope }: CloudScope,
  { nodes, verify }: BatchRequest,
  context: LookupContext,
): Promise<LookupResponse> {
  try {
    const request = { nodes: nodes.map(({ facts }) => facts), verify: verify.map(({ facts }) => facts) };
    const reported = await cloud.instances.lookUp(scope, request, context);
    const resultOf = (target: LookupTarget): LookupResult | undefined => resolve(target, reported);
    const results = new Map(
      nodes.map((target) => [target.facts.uid, resultOf(target) ?? leftOutResult(cloud.name)] as const),
    );
    // Verifying costs a request, so only where an instance is reported as gone and no Ready node can be the canary.
    const needsVerification = verify.length === 0 && [...results.values()].some(isGone);
    const accessVerified = needsVerification ? await cloud.instances.verifyAccess(scope, context) : undefined;
    const canaryResults = verify.map(resultOf);
    const throttled = throttlingOf([...results.values(), ...canaryResults]);
    return { results, canary: canaryOf(canaryResults, accessVerified), ...(throttled && { throttled }) };
  } catch (error) {
    const failure = asFailure(error, cloud.name, context);
    const result: LookupResult = { status: 'unknown', failure };
    return {
      results: new Map(nodes.map(({ facts }) => [facts.uid, result])),
      canary: canaryOf([], undefined),
      failure,
    };
  }
}

/** A canary too has to be the instance that its Node was made for. */
function resolve(
  { facts, node, lastMachine }: LookupTarget,
  reported: ReadonlyMap<NodeUid, LookupResult>,
): LookupResult | undefined {
  const result = reported.get(facts.uid);
  const { instanceId } = facts;
  if (result === undefined || instanceId === undefined) return result;
  return resolveReusedName(result, { instanceId, machine: machineOf(node), ...(lastMachine && { lastMachine }) });
}

function throttlingOf(results: readonly (LookupResult | undefined)[]): Failure | undefined {
  const failures = results.flatMap((result) => (result?.status === 'unknown' ? [result.failure] : []));
  return failures.find(({ kind }) => kind === 'throttled');
}

function asFailure(error: unknown, cloud: string, { signal }: LookupContext): Failure {
  if (error instanceof Failure) return error;
  if (signal.aborted && error === signal.reason) return abortedFailure(error, cloud);
  const name = error instanceof Error ? error.name : typeof error;
  return new Failure('unavailable', `${cloud}: internal error (${name})`, {
    remedy: 'run with -v 1 and report what it says',
    cause: error,
  });
}

/** By the deadline of the look-up, or because leadership ended. */
function abortedFailure(cause: unknown, cloud: string): Failure {
  const isLate = cause instanceof Error && cause.name === 'TimeoutError';
  return new Failure('unavailable', `${cloud} ${isLate ? 'did not respond in time' : 'was not waited for'}`, {
    remedy: 'it is asked again; if this stays, check the way to the cloud and its health',
    cause,
  });
}
