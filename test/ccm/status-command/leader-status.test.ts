import t from 'tap';
import { leaderStatusIn } from '../../../ccm/status-command/collect.ts';
import { leaderStatus } from '../../../ccm/status-command/leader-status.ts';
import { Failure } from '../../../lib/failure.ts';
import { keys } from '../../../schemas/keys.ts';
import type { Lease } from '../../../schemas/kubernetes.ts';
import { knownNode, startHarness, withLabel } from '../node-controller/harness.ts';

const leader = { identity: 'ccm-1', clouds: ['toy'] };

function leaseWith(annotation: string, holderIdentity = leader.identity): Lease {
  const annotations = { [keys.leaderStatus]: annotation };
  const metadata = {
    name: 'l',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-03-01T12:00:00Z',
    annotations,
  };
  return { metadata, spec: { holderIdentity } };
}

await t.test('the leader counts Nodes by owner and by scope, and shows the last success of each scope', async (t) => {
  const { api, controller, advance } = startHarness();
  for (const name of ['a', 'b']) api.put(knownNode({ name }));
  api.put(withLabel(knownNode({ name: 'excluded' }), keys.ownership, 'false'));
  api.put(knownNode({ name: 'foreign', providerId: 'elsewhere://i-1' }));
  await advance(10_000);
  const status = leaderStatus(controller, leader);
  t.match(status, { ...leader, nodes: { ours: 2, foreign: 1, unmanaged: 1 } });
  t.match(status.scopes, [{ cloud: 'toy', nodes: 2, lastSuccess: /^2026-03-01T12:00:\d\d/, deletionsStopped: false }]);
  t.notOk('failure' in (status.scopes[0] ?? {}));
  t.strictSame(leaderStatusIn(leaseWith(JSON.stringify(status))), status, '`status` reads the same');
});

await t.test('at most 50 scopes, those with a problem first, and failures are cut', (t) => {
  const failure = new Failure('denied', 'x'.repeat(2_000), { remedy: 'allow it' });
  const histories = Array.from({ length: 80 }, (_, index) => ({
    cloud: 'toy',
    scope: `s${index}`,
    atWallMs: 0,
    ...(index === 79 && { failure }),
  }));
  const scopes = { all: () => [{ key: 's78', open: true }], lastSuccesses: () => histories };
  const status = leaderStatus({ nodes: () => new Map(), scopes: (): never => scopes as never }, leader);
  t.equal(status.scopes.length, 50);
  t.match(status.scopes.slice(0, 2), [
    { scope: 's78', deletionsStopped: true },
    { scope: 's79', failure: 'x'.repeat(300) },
  ]);
  t.ok(JSON.stringify(status).length < 16_000, 'the Lease stays small');
  t.end();
});

await t.test('a status of another holder, and text that is none, is no status', (t) => {
  const { controller } = startHarness();
  const text = JSON.stringify(leaderStatus(controller, leader));
  t.ok(leaderStatusIn(leaseWith(text)));
  t.equal(leaderStatusIn(leaseWith(text, 'ccm-2')), undefined);
  for (const other of ['', '{', 'null', '[]', '{"identity":"ccm-1"}']) {
    t.equal(leaderStatusIn(leaseWith(other)), undefined);
  }
  t.end();
});
