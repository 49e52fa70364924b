import type { LookupResult, NodeFacts, NodeUid } from '../../clouds/index.ts';
import type { Context } from '../../lib/context.ts';
import { Failure } from '../../lib/failure.ts';
import { canaryOf } from '../lifecycle/canary.ts';
import type { Canary } from '../lifecycle/canary.ts';
import { isGone } from '../lifecycle/result-kinds.ts';
import type { CloudScope } from './ownership.ts';
import { leftOutResult } from './combine-lookups.ts';

/** One batch: nodes to be decided on, and Ready ones that certainly exist. */
export interface LookupRequest {
  readonly cloudScope: CloudScope;
  readonly nodes: readonly NodeFacts[];
  readonly canaries: readonly NodeFacts[];
  /** Of `nodes`, those that are Ready and initialised: they are canaries as well. */
  readonly readyUids: ReadonlySet<NodeUid>;
}

export interface LookupResponse {
  readonly results: ReadonlyMap<NodeUid, LookupResult>;
  readonly canary: Canary;
  /** When nothing was learnt at all: why. Every finding is `unknown` then. */
  readonly failure?: Failure;
}

/** Asks one scope for one batch. Never throws: what could not be found out is a finding. */
export async function lookUpInScope(request: LookupRequest, context: Context): Promise<LookupResponse> {
  const { cloudScope, nodes, canaries } = request;
  const { cloud, scope } = cloudScope;
  try {
    const answered = await cloud.instances.lookUp(scope, [...nodes, ...canaries], context);
    const results = new Map(nodes.map(({ uid }) => [uid, answered.get(uid) ?? leftOutResult(cloud.name)] as const));
    return { results, canary: await judgeCanary(request, { answered, results }, context) };
  } catch (error) {
    const failure = asFailure(error, cloud.name, context);
    const result: LookupResult = { status: 'unknown', failure };
    return { results: new Map(nodes.map(({ uid }) => [uid, result])), canary: canaryOf([], undefined), failure };
  }
}

interface ScopeResults {
  readonly answered: ReadonlyMap<NodeUid, LookupResult>;
  readonly results: ReadonlyMap<NodeUid, LookupResult>;
}

/** Vouching costs a call, so it is asked for only where somebody is said to be gone and no Ready node can speak. */
async function judgeCanary(
  request: LookupRequest,
  { answered, results }: ScopeResults,
  context: Context,
): Promise<Canary> {
  const { cloud, scope } = request.cloudScope;
  const readyUids = [...request.readyUids, ...request.canaries.map(({ uid }) => uid)];
  const isAnyGone = [...results.values()].some(isGone);
  const accessVerified =
    readyUids.length === 0 && isAnyGone ? await cloud.instances.verifyAccess(scope, context) : undefined;
  return canaryOf(
    readyUids.map((uid) => answered.get(uid)),
    accessVerified,
  );
}

function asFailure(error: unknown, cloud: string, { signal }: Context): Failure {
  if (error instanceof Failure) return error;
  if (signal.aborted && error === signal.reason) return abortedFailure(error, cloud);
  const name = error instanceof Error ? error.name : typeof error;
  return new Failure('unavailable', `${cloud}: internal error (${name})`, {
    remedy: 'run with -v 1 and report what it says',
    cause: error,
  });
}

/** By the time that a look-up has, or because the lead has ended. */
function abortedFailure(cause: unknown, cloud: string): Failure {
  const isLate = cause instanceof Error && cause.name === 'TimeoutError';
  return new Failure(
    'unavailable',
    `${cloud} ${isLate ? 'gave no answer within the time allowed' : 'was not waited for'}`,
    {
      remedy: 'it is asked again; if this stays, check the way to the cloud and its health',
      cause,
    },
  );
}
