import type { LookupContext, LookupResult, NodeUid } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { untilAborted } from '../../lib/kubernetes/until-aborted.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import { canaryOf } from '../lifecycle/canary.ts';
import { isGone } from '../lifecycle/result-kinds.ts';
import { resolveReusedName } from '../lifecycle/reused-name.ts';
import type { CloudScope } from './ownership.ts';
import { machineOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';
import type { NodeBatch } from './batches.ts';
import { LeadershipLost } from './cluster.ts';
import { combineLookups, leftOutResult } from './combine-lookups.ts';
import type { NodeLookup } from './combine-lookups.ts';
import { scopeContext } from './scope-context.ts';
import type { LookupResponse } from './scopes.ts';
import type { ControllerState } from './state.ts';

/**
 * Looks up a batch in each of its open scopes, and records the results there before any of its Nodes is decided on.
 * Throws if leadership ended meanwhile.
 */
export async function lookUpBatch(
  { members, cloudScopes, closedScopes }: NodeBatch,
  state: ControllerState,
  signal: AbortSignal,
): Promise<ReadonlyMap<NodeUid, NodeLookup>> {
  const responses = await Promise.all(
    cloudScopes.map((cloudScope) => lookUpMembers(cloudScope, members, state, signal)),
  );
  // The end of leadership aborts look-ups: their failures are not the cloud's.
  if (signal.aborted) throw new LeadershipLost('leadership ended during a look-up');
  const all = [...responses, ...closedScopes.map((closed) => notAsked(closed, members))];
  const lookups = new Map(members.map((tracked) => [tracked.uid, nodeLookupFor(tracked, all)] as const));
  // Scopes get the combined results: a node that is not found in one account may be in another one.
  const results = new Map([...lookups].map(([uid, { result }]) => [uid, result] as const));
  for (const [at, response] of responses.entries()) {
    const cloudScope = cloudScopes[at];
    if (cloudScope !== undefined) state.scopes.recordLookup(cloudScope, { ...response, results }, state.nodes);
  }
  return lookups;
}

function lookUpMembers(
  cloudScope: CloudScope,
  members: readonly TrackedNode[],
  { nodes, scopes, dependencies }: ControllerState,
  signal: AbortSignal,
): Promise<LookupResponse> {
  const { key } = cloudScope.scope;
  // The Node of an uninitialized node is never deleted.
  const verify = members.every(({ node }) => isUninitialized(node)) ? [] : scopes.pickCanaries(nodes.values(), key);
  const rateLimiter = scopes.rateLimiterOf(key);
  const countRequest = (status?: number): void => dependencies.metrics.countCloudRequest(cloudScope.cloud.name, status);
  const context = scopeContext(dependencies.contextFor(signal), rateLimiter, countRequest);
  return lookUpInScope(cloudScope, { nodes: members, verify }, context);
}

/** A node that is gone in the open scopes may be in this one. */
function notAsked({ cloud, scope }: CloudScope, members: readonly TrackedNode[]): LookupResponse {
  const failure = new Failure(
    'unavailable',
    `${cloud.name} is not asked now: the last requests to ${scope.key} failed`,
    {
      remedy: 'it is asked again; if this stays, read the log for the reason',
    },
  );
  const result: LookupResult = { status: 'unknown', failure };
  return { results: new Map(members.map(({ uid }) => [uid, result])), canary: canaryOf([], undefined), failure };
}

function nodeLookupFor({ uid, ownership }: TrackedNode, responses: readonly LookupResponse[]): NodeLookup {
  const cloudName = ownership.kind === 'ours' ? ownership.cloudScopes[0]?.cloud.name : undefined;
  const leftOut = leftOutResult(cloudName ?? 'the cloud');
  const lookups = responses.map(({ results, canary }) => ({ result: results.get(uid) ?? leftOut, canary }));
  const [first, ...others] = lookups;
  return first === undefined
    ? { result: leftOut, canary: canaryOf([], undefined) }
    : combineLookups([first, ...others]);
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
    // A cloud that does not end in time must not keep these nodes busy for ever.
    const reported = await untilAborted(cloud.instances.lookUp(scope, request, context), context.signal);
    const results = new Map(
      nodes.map((target) => {
        const result = resolve(target, reported, isReady(target.node));
        return [target.facts.uid, result ?? leftOutResult(cloud.name)] as const;
      }),
    );
    // Verifying costs a request, so only where an instance is reported as gone and no Ready node can be the canary.
    const needsVerification = verify.length === 0 && [...results.values()].some(isGone);
    const accessVerified = needsVerification ? await verifyAccess({ cloud, scope }, context) : undefined;
    const canaryResults = verify.map((target) => resolve(target, reported, false));
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

/** `false` also if it cannot be found out: the results are not lost for it. */
async function verifyAccess({ cloud, scope }: CloudScope, context: LookupContext): Promise<boolean> {
  try {
    return await untilAborted(cloud.instances.verifyAccess(scope, context), context.signal);
  } catch (error) {
    const { message } = asFailure(error, cloud.name, context);
    context.log.debug(`the access to ${scope.key} could not be verified: ${message}`);
    return false;
  }
}

/** A canary has to be the instance that its Node was made for, and that it is Ready does not prove it. */
function resolve(
  { facts, node, lastMachine }: LookupTarget,
  reported: ReadonlyMap<NodeUid, LookupResult>,
  adoptsIfReady: boolean,
): LookupResult | undefined {
  const result = reported.get(facts.uid);
  const { instanceId } = facts;
  if (result === undefined || instanceId === undefined) return result;
  const machine = machineOf(node);
  return resolveReusedName(result, { instanceId, machine, adoptsIfReady, ...(lastMachine && { lastMachine }) });
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
