import t from 'tap';
import { heartbeatOf, whyNotReported, whyNotRunning } from '../../../../node-agent/install/restart/confirmation.ts';
import type { Node, NodeCondition } from '../../../../schemas/kubernetes.ts';

const startedAtMs = Date.parse('2026-11-19T12:00:00.500Z');
const attempt = { service: 'kubelet.service', startedAtMs, heartbeatBefore: '2026-11-19T11:58:00Z' };

await t.test('a kubelet has restarted when a new process has run for 10 s', (t) => {
  const why = (active: string, mainStartedAtMs: number | undefined, nowMs: number): string | undefined =>
    whyNotRunning({ active, ...(mainStartedAtMs !== undefined && { mainStartedAtMs }) }, attempt, nowMs);
  const [newMs, laterMs] = [startedAtMs + 700, startedAtMs + 10_700];
  t.equal(why('active', newMs, laterMs), undefined);
  t.equal(why('active', newMs, laterMs - 1), 'kubelet.service has run for less than 10 s');
  t.equal(why('active', startedAtMs, laterMs), 'kubelet.service has not restarted');
  t.equal(why('activating', undefined, laterMs), 'kubelet.service is activating');
  t.equal(why('deactivating', newMs, laterMs), 'kubelet.service is deactivating');
  t.equal(whyNotRunning(undefined, attempt, laterMs), 'kubelet.service is not there');
  t.end();
});

await t.test('the new process has to report the Node as Ready', (t) => {
  const mainMs = Date.parse('2026-11-19T12:00:02.900Z');
  const why = (ready: Partial<NodeCondition>): string | undefined => whyNotReported(nodeWith(ready), attempt, mainMs);
  t.equal(why({ lastHeartbeatTime: '2026-11-19T12:00:03Z' }), undefined);
  t.equal(why({ lastHeartbeatTime: '2026-11-19T12:00:02Z' }), undefined, 'a heartbeat is rounded down to seconds');
  const old = 'the kubelet has not reported its Node since it started';
  t.equal(why({ lastHeartbeatTime: '2026-11-19T12:00:01Z' }), old);
  t.equal(why({}), old, 'no heartbeat');
  const sameSecond = { ...attempt, heartbeatBefore: '2026-11-19T12:00:02Z' };
  t.equal(whyNotReported(nodeWith({ lastHeartbeatTime: '2026-11-19T12:00:02Z' }), sameSecond, mainMs), old);
  t.equal(
    why({ status: 'False', message: 'no network', lastHeartbeatTime: '2026-11-19T12:00:03Z' }),
    'the Node is not Ready: no network',
  );
  t.equal(whyNotReported('absent', attempt, mainMs), 'there is no Node of this name');
  t.equal(whyNotReported('unread', attempt, mainMs), 'the Node cannot be read');
  t.equal(heartbeatOf('absent'), '');
  t.end();
});

await t.test('a Node that its cloud has not initialised need not be Ready, only reported', (t) => {
  const mainMs = Date.parse('2026-11-19T12:00:02.900Z');
  const why = (ready: Partial<NodeCondition>): string | undefined => {
    const node = nodeWith({ status: 'False', message: 'no network', ...ready });
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' as const }];
    return whyNotReported({ ...node, spec: { taints } }, attempt, mainMs);
  };
  t.equal(why({ lastHeartbeatTime: '2026-11-19T12:00:03Z' }), undefined);
  const old = 'the kubelet has not reported its Node since it started';
  t.equal(why({ lastHeartbeatTime: '2026-11-19T12:00:01Z' }), old);
  t.end();
});

function nodeWith(ready: Partial<NodeCondition>): Node {
  const metadata = { name: 'node-1', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  return { metadata, spec: {}, status: { conditions: [{ type: 'Ready', status: 'True', ...ready }] } };
}
