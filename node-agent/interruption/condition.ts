import { printable } from '../../lib/printable.ts';
import type { interruptionConditionReasons } from '../../schemas/key-descriptions.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node, NodeCondition } from '../../schemas/kubernetes.ts';
import type { AssessedNotice } from './decide.ts';
import { describeNotice } from './describe-notice.ts';

type ConditionReason = keyof typeof interruptionConditionReasons;

/** Without its times. */
export type ConditionContent = Required<Pick<NodeCondition, 'status' | 'message'>> & {
  readonly reason: ConditionReason;
};

const reasonOf: Readonly<Record<AssessedNotice['notice']['effect'], ConditionReason>> = {
  ends: 'InstanceEnds',
  restarts: 'InstanceRestarts',
  pauses: 'InstancePauses',
  'may-end': 'InstanceMayEnd',
};

const longestMessageCharacters = 1_000;

/** `undefined`: it stays as it is. Without notices, only a condition that reports one is changed. */
export function conditionFor(node: Node, assessed: readonly AssessedNotice[]): ConditionContent | undefined {
  const [first] = assessed;
  if (first === undefined) {
    const before = node.status.conditions?.find(({ type }) => type === keys.interruptionCondition);
    if (before?.status !== 'True') return undefined;
    return { status: 'False', reason: 'NoNotice', message: 'the cloud announces no interruption' };
  }
  const message = assessed.map((each) => describeNotice(each)).join('; ');
  return {
    status: 'True',
    reason: reasonOf[first.notice.effect],
    message: printable(message).slice(0, longestMessageCharacters),
  };
}

/** In the patch of a condition whose status stays, the time of the last transition is absent, so that it stays too. */
export function toCondition({ status }: Node, content: ConditionContent, wallMs: number): NodeCondition {
  const now = new Date(wallMs).toISOString();
  const before = status.conditions?.find(({ type }) => type === keys.interruptionCondition)?.status;
  return {
    type: keys.interruptionCondition,
    ...content,
    lastHeartbeatTime: now,
    ...(before !== content.status && { lastTransitionTime: now }),
  };
}
