import type { Context, Finding, NodeFacts, NodeUid } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { canaryOf } from '../lifecycle/canary.ts';
import type { Canary } from '../lifecycle/canary.ts';
import type { Claim } from '../node/ownership.ts';
import { leftOut } from './combine.ts';

/** One batch: nodes to be decided on, and Ready ones that certainly exist. */
export interface Batch {
  readonly claim: Claim;
  readonly nodes: readonly NodeFacts[];
  readonly canaries: readonly NodeFacts[];
  /** Of `nodes`, those that are Ready and initialised: they are canaries as well. */
  readonly readyUids: ReadonlySet<NodeUid>;
}

export interface BatchAnswer {
  readonly findings: ReadonlyMap<NodeUid, Finding>;
  readonly canary: Canary;
  /** When nothing was learnt at all: why. Every finding is `unknown` then. */
  readonly failure?: Failure;
}

/** Asks one scope for one batch. Never throws: what could not be found out is a finding. */
export async function lookBatch(batch: Batch, context: Context): Promise<BatchAnswer> {
  const { claim, nodes, canaries } = batch;
  const { cloud, scope } = claim;
  try {
    const said = await cloud.instances.look(scope, [...nodes, ...canaries], context);
    const findings = new Map(nodes.map(({ uid }) => [uid, said.get(uid) ?? leftOut(cloud.name)] as const));
    return { findings, canary: await judge(batch, { said, findings }, context) };
  } catch (error) {
    const failure = asFailure(error, cloud.name, context);
    const finding: Finding = { is: 'unknown', failure };
    return { findings: new Map(nodes.map(({ uid }) => [uid, finding])), canary: canaryOf([], undefined), failure };
  }
}

interface Said {
  readonly said: ReadonlyMap<NodeUid, Finding>;
  readonly findings: ReadonlyMap<NodeUid, Finding>;
}

/** Vouching costs a call, so it is asked for only where somebody is said to be gone and no Ready node can speak. */
async function judge(batch: Batch, { said, findings }: Said, context: Context): Promise<Canary> {
  const { cloud, scope } = batch.claim;
  const readyUids = [...batch.readyUids, ...batch.canaries.map(({ uid }) => uid)];
  const anybodyGone = [...findings.values()].some((finding) => finding.is === 'gone');
  const vouched = readyUids.length === 0 && anybodyGone ? await cloud.instances.vouch(scope, context) : undefined;
  return canaryOf(
    readyUids.map((uid) => said.get(uid)),
    vouched,
  );
}

function asFailure(error: unknown, cloud: string, { signal }: Context): Failure {
  if (error instanceof Failure) return error;
  if (signal.aborted && error === signal.reason) return brokenOff(error, cloud);
  const name = error instanceof Error ? error.name : typeof error;
  return new Failure('unavailable', `${cloud}: internal error (${name})`, {
    remedy: 'run with -v 1 and report what it says',
    cause: error,
  });
}

/** By the time that a look-up has, or because the lead has ended. */
function brokenOff(cause: unknown, cloud: string): Failure {
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
