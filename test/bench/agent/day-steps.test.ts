import t from 'tap';
import { hasLook, hoursOfDay, stepOf } from '../../../bench/agent/day-steps.ts';
import type { NodeLook } from '../../../bench/agent/day-steps.ts';
import { noticeSources } from '../../../clouds/aws/notices/parse.ts';
import { keys } from '../../../schemas/keys.ts';
import type { Node, Taint } from '../../../schemas/kubernetes.ts';

const nowMs = Date.UTC(2026, 10, 19, 12);
const hours = Array.from({ length: hoursOfDay }, (_, hour) => hour);

await t.test('a day has 24 hours, and every second one ends what the one before began', (t) => {
  t.equal(hoursOfDay, 24);
  const steps = hours.map((hour) => stepOf(hour, nowMs));
  for (const hour of hours.filter((each) => each % 2 === 0)) {
    const [announced, over] = [steps[hour], steps[hour + 1]];
    t.strictSame(Object.keys(announced?.documents ?? {}), Object.keys(over?.documents ?? {}));
    t.not(announced?.look, 'unmarked');
    t.equal(over?.look, 'unmarked');
  }
  t.strictSame(new Set(steps.map(({ look }) => look)), new Set(['advised', 'unmarked', 'reported', 'drained']));
  t.end();
});

await t.test('each document is one that AWS has, and announces something in every second hour', (t) => {
  for (const hour of hours) {
    for (const [path, text] of Object.entries(stepOf(hour, nowMs).documents)) {
      const source = noticeSources.find((each) => path === `meta-data/${each.path}`);
      const notices = source?.parse(text ?? undefined, nowMs).notices;
      t.equal(notices?.length, hour % 2 === 0 ? 1 : 0, `${path} in hour ${String(hour)}`);
      t.not(notices?.[0]?.atMs, 0);
    }
  }
  t.end();
});

function node(isReported: boolean, marks: { effect?: Taint['effect']; state?: string; isCordoned?: true } = {}): Node {
  const { effect, state, isCordoned } = marks;
  const condition = { type: keys.interruptionCondition, status: isReported ? 'True' : 'False' };
  return {
    metadata: { name: 'a', uid: '1', ...(state !== undefined && { annotations: { [keys.interruptionState]: state } }) },
    spec: {
      ...(isCordoned && { unschedulable: isCordoned }),
      taints: effect === undefined ? [] : [{ key: keys.interruptionTaint, effect }],
    },
    status: { conditions: [condition] },
  } as unknown as Node;
}

await t.test('the looks of a Node are told apart', (t) => {
  const nodes: Readonly<Record<NodeLook, Node>> = {
    unmarked: node(false),
    reported: node(true, { state: '{"notices":[]}' }),
    advised: node(true, { state: '{"notices":[]}', effect: 'PreferNoSchedule' }),
    drained: node(true, { state: '{"drain":{"isFinished":true}}', effect: 'NoSchedule', isCordoned: true }),
  };
  const looks = Object.keys(nodes) as NodeLook[];
  for (const look of looks) {
    t.strictSame(
      looks.filter((each) => hasLook(nodes[look], each)),
      [look],
    );
  }
  const draining = node(true, { state: '{"drain":{"isFinished":false}}', effect: 'NoSchedule', isCordoned: true });
  t.notOk(hasLook(draining, 'drained'));
  t.end();
});
