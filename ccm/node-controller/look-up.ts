import type { LookupContext, LookupRequest, LookupResult, NodeUid } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { canaryOf } from '../lifecycle/canary.ts';
import type { Canary } from '../lifecycle/canary.ts';
import { isGone } from '../lifecycle/result-kinds.ts';
import type { CloudScope } from './ownership.ts';
import { leftOutResult } from './combine-lookups.ts';

export interface LookupResponse {
  readonly results: ReadonlyMap<NodeUid, LookupResult>;
  readonly canary: Canary;
  /** Present if no request succeeded; every result is `unknown` then. */
  readonly failure?: Failure;
  /** One of several requests was throttled: the whole scope has to be called less. */
  readonly throttled?: Failure;
}

/** Looks up one batch in one scope. Never throws: a node that could not be looked up has the result `unknown`. */
export async function lookUpInScope(
  { cloud, scope }: CloudScope,
  request: LookupRequest,
  context: LookupContext,
): Promise<LookupResponse> {
  const { nodes, verify } = request;
  try {
    const reported = await cloud.instances.lookUp(scope, request, context);
    const results = new Map(nodes.map(({ uid }) => [uid, reported.get(uid) ?? leftOutResult(cloud.name)] as const));
    // Verifying costs a request, so only where an instance is reported as gone and no Ready node can be the canary.
    const needsVerification = verify.length === 0 && [...results.values()].some(isGone);
    const accessVerified = needsVerification ? await cloud.instances.verifyAccess(scope, context) : undefined;
    const canaryResults = verify.map(({ uid }) => reported.get(uid));
    const throttled = throttlingOf([...results.values(), ...canaryResults]);
    return { results, canary: canaryOf(canaryResults, accessVerified), ...(throttled && { throttled }) };
  } catch (error) {
    const failure = asFailure(error, cloud.name, context);
    const result: LookupResult = { status: 'unknown', failure };
    return { results: new Map(nodes.map(({ uid }) => [uid, result])), canary: canaryOf([], undefined), failure };
  }
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
