import { LeadershipLost } from '../cluster/leadership-lost.ts';
import { combine, leftOut } from '../look-up/combine.ts';
import type { Answer } from '../look-up/combine.ts';
import { lookBatch } from '../look-up/look.ts';
import type { BatchAnswer } from '../look-up/look.ts';
import type { Claim } from '../node/ownership.ts';
import { batchFor } from './batches.ts';
import type { Group } from './batches.ts';
import { noteFailure, release, wakeIfDue } from './changes.ts';
import type { State } from './controller.ts';
import { settle } from './settle.ts';
import type { Said } from './settle.ts';
import { claimsOf } from './tracked.ts';
import type { Tracked } from './tracked.ts';

/** Asks for a group in all of its places, and does what follows for each of its nodes. Frees each when it is done. */
export async function work(group: Group, state: State, signal: AbortSignal): Promise<void> {
  const { members, claims } = group;
  const askedAtMs = state.dependencies.clock.monotonicMs();
  const asked = new Map(members.map(({ uid, node }) => [uid, node] as const));
  const answers = await Promise.all(claims.map((claim) => ask(claim, group, state, signal)));
  // Answers that were not waited for are no trouble of the cloud.
  if (signal.aborted) throw new LeadershipLost('the lead ended during a look-up');
  const answerOf = new Map(members.map((tracked) => [tracked.uid, answerFor(tracked, answers)] as const));
  // A scope is told what holds for a node in the end: that it is not in this account says nothing if another one has it.
  const findings = new Map([...answerOf].map(([uid, { finding }]) => [uid, finding] as const));
  for (const [at, answer] of answers.entries()) {
    const claim = claims[at];
    if (claim !== undefined) state.scopes.told(claim, { ...answer, findings }, state.nodes);
  }
  const settling = members.map((tracked) => {
    const { uid, node } = tracked;
    const answer = answerOf.get(uid) ?? answerFor(tracked, answers);
    return settleOne(tracked, { answer, askedAtMs, asked: asked.get(uid) ?? node }, state);
  });
  const failed = (await Promise.allSettled(settling)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function ask(claim: Claim, group: Group, state: State, signal: AbortSignal): Promise<BatchAnswer> {
  const canaries = state.scopes.pickCanaries(state.nodes.values(), claim.scope.key, group.members);
  return lookBatch(batchFor(claim, group, canaries), state.dependencies.contextFor(signal));
}

/** One node that cannot be written does not keep the others waiting. */
async function settleOne(tracked: Tracked, said: Said, state: State): Promise<void> {
  const { dependencies, nodes, scopes, timetable } = state;
  let lookAgainInMs: number | undefined;
  try {
    if (nodes.has(tracked.uid)) lookAgainInMs = await settle(tracked, said, scopes, dependencies);
  } catch (error) {
    noteFailure(tracked, error, state);
  } finally {
    tracked.dueAtMs = tracked.ownership.kind === 'ours' ? timetable.afterLook(tracked, lookAgainInMs) : Infinity;
    release(tracked, said.asked, state);
    wakeIfDue(tracked, state);
  }
}

function answerFor(tracked: Tracked, answers: readonly BatchAnswer[]): Answer {
  const finding = leftOut(claimsOf(tracked)[0]?.cloud.name ?? 'the cloud');
  const all = answers.map(({ findings, canary }) => ({ finding: findings.get(tracked.uid) ?? finding, canary }));
  const [first, ...others] = all;
  return first === undefined ? { finding, canary: { asked: 0, found: 0 } } : combine([first, ...others]);
}
