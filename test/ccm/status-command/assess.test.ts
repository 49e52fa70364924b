import t from 'tap';
import { assess } from '../../../ccm/status-command/assess.ts';
import type { StatusReport } from '../../../ccm/status-command/assess.ts';
import type { CollectedStatus } from '../../../ccm/status-command/collect.ts';
import type { LeaderStatus } from '../../../ccm/status-command/leader-status.ts';
import { statusJson, statusLines } from '../../../ccm/status-command/run.ts';
import { keys } from '../../../schemas/keys.ts';
import type { Lease, Node } from '../../../schemas/kubernetes.ts';
import { knownNode, newNode, withLabel } from '../node-controller/harness.ts';

const nowMs = Date.parse('2026-03-01T12:00:10Z');
const name = 'kube-system/cloud-controller-manager';
const leader: LeaderStatus = {
  identity: 'ccm-1',
  version: '0.1.0',
  clouds: ['toy'],
  nodes: { ours: 2, foreign: 0, unmanaged: 0 },
  scopes: [{ cloud: 'toy', scope: 'toy/here', nodes: 2, lastSuccess: '2026-03-01T12:00:07Z', deletionsStopped: false }],
};

function lease(
  change: Partial<Lease['spec']> = {},
  status: LeaderStatus | undefined = leader,
): CollectedStatus['lease'] {
  const metadata = { name: 'l', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-03-01T11:00:00Z' };
  const annotations = { [keys.leaderStatus]: JSON.stringify(status) };
  const spec = { holderIdentity: 'ccm-1', leaseDurationSeconds: 15, renewTime: '2026-03-01T12:00:08Z', ...change };
  return { kind: 'found', value: { metadata: { ...metadata, annotations }, spec } };
}

function nodes(...value: readonly Node[]): CollectedStatus['nodes'] {
  return { kind: 'found', value };
}

function reported(reason: string, status: 'True' | 'False' = 'False'): Node {
  const node = knownNode({ name: 'a', ready: false });
  const condition = { type: keys.instanceCondition, status, reason, message: 'because' } as const;
  return { ...node, status: { ...node.status, conditions: [...(node.status.conditions ?? []), condition] } };
}

function created(secondsAgo: number): Node {
  const node = newNode({ name: 'new' });
  const creationTimestamp = new Date(nowMs - secondsAgo * 1_000).toISOString();
  return { ...node, metadata: { ...node.metadata, creationTimestamp } };
}

const well = { lease: lease(), nodes: nodes(knownNode({ name: 'a' })) };
const unknown = { kind: 'unknown', why: 'it is forbidden' } as const;

interface Case {
  readonly what: string;
  readonly collected: CollectedStatus;
  readonly ok: boolean;
  readonly code: string;
  readonly outcome: string;
  readonly said: RegExp;
}

const scopeWith = (change: object): LeaderStatus => ({
  ...leader,
  scopes: [{ ...leader.scopes[0], ...change }] as never,
});

const cases: readonly Case[] = [
  {
    what: 'the leader',
    collected: well,
    ok: true,
    code: 'leading',
    outcome: 'ok',
    said: /^ccm-1 holds the Lease kube-system\/cloud-controller-manager, renewed 2 s ago$/,
  },
  { what: 'its clouds', collected: well, ok: true, code: 'clouds', outcome: 'ok', said: /^toy: 2 Nodes; 0 of other/ },
  {
    what: 'a scope',
    collected: well,
    ok: true,
    code: 'scope-looked-up',
    outcome: 'ok',
    said: /^toy\/here: 2 Nodes, looked up 3 s ago$/,
  },
  {
    what: 'a failing scope',
    collected: { ...well, lease: lease({}, scopeWith({ failure: 'denied', lastSuccess: undefined })) },
    ok: false,
    code: 'scope-failing',
    outcome: 'failed',
    said: /^toy\/here: denied; no look-up has succeeded$/,
  },
  {
    what: 'stopped deletions',
    collected: { ...well, lease: lease({}, scopeWith({ deletionsStopped: true })) },
    ok: false,
    code: 'scope-deletions-stopped',
    outcome: 'failed',
    said: /deletions are stopped$/,
  },
  {
    what: 'no Lease',
    collected: { ...well, lease: { kind: 'absent' } },
    ok: false,
    code: 'no-lease',
    outcome: 'failed',
    said: /^there is no Lease kube-system/,
  },
  {
    what: 'a Lease that may not be read',
    collected: { ...well, lease: unknown },
    ok: false,
    code: 'lease-unknown',
    outcome: 'unknown',
    said: /^it is forbidden$/,
  },
  {
    what: 'a released Lease',
    collected: { ...well, lease: lease({ holderIdentity: '' }) },
    ok: false,
    code: 'no-leader',
    outcome: 'failed',
    said: /^no controller holds the Lease/,
  },
  {
    what: 'a Lease that has run out',
    collected: { ...well, lease: lease({ renewTime: '2026-03-01T11:00:00Z' }) },
    ok: false,
    code: 'lease-expired',
    outcome: 'failed',
    said: /renewed 60 min ago$/,
  },
  {
    what: 'a Lease of another controller',
    collected: { ...well, lease: lease({ holderIdentity: 'other' }) },
    ok: false,
    code: 'leader-without-status',
    outcome: 'unknown',
    said: /^other wrote no status/,
  },
  {
    what: 'Nodes that may not be listed',
    collected: { ...well, nodes: unknown },
    ok: false,
    code: 'nodes-unknown',
    outcome: 'unknown',
    said: /^it is forbidden$/,
  },
  {
    what: 'a Node that has just been created',
    collected: { ...well, nodes: nodes(created(20)) },
    ok: true,
    code: 'node-not-initialised',
    outcome: 'warning',
    said: /^new: not initialised, created 20 s ago$/,
  },
  {
    what: 'a Node that should be initialised',
    collected: { ...well, nodes: nodes(created(300)) },
    ok: false,
    code: 'node-not-initialised',
    outcome: 'failed',
    said: /created 5 min ago$/,
  },
  {
    what: 'a Node whose instance is gone',
    collected: { ...well, nodes: nodes(reported('InstanceGone')) },
    ok: true,
    code: 'node-to-be-deleted',
    outcome: 'warning',
    said: /^a: InstanceGone: because$/,
  },
  {
    what: 'a Node that is kept although its instance is missing',
    collected: { ...well, nodes: nodes(reported('DeletionsStopped')) },
    ok: false,
    code: 'node-kept',
    outcome: 'failed',
    said: /^a: DeletionsStopped: because$/,
  },
];
for (const { what, collected, ok, code, outcome, said } of cases) {
  await t.test(`${what}: ${outcome}`, (t) => {
    const report = assess(collected, name, nowMs);
    t.equal(report.ok, ok);
    t.match(
      report.checks.find((check) => check.code === code),
      { outcome, said },
    );
    t.end();
  });
}

await t.test('an instance that was found again, and a Node that its label excludes, are no problem', (t) => {
  const excluded = withLabel(created(300), keys.ownership, 'false');
  const report = assess({ ...well, nodes: nodes(reported('InstanceFound', 'True'), excluded) }, name, nowMs);
  t.equal(report.ok, true);
  t.match(report.checks.at(-1), { code: 'nodes', said: '2 Nodes, 1 not Ready, 0 not initialised' });
  t.end();
});

await t.test('of many Nodes those with a failure are listed first', (t) => {
  const many = Array.from({ length: 40 }, () => created(20));
  const report = assess({ ...well, nodes: nodes(...many, created(300)) }, name, nowMs);
  const listed = report.checks.filter(({ about }) => about === 'node');
  t.equal(listed.length, 20);
  t.match(listed[0], { outcome: 'failed' });
  t.match(report.checks.find(({ code }) => code === 'nodes')?.said, /; 21 more are like the last/);
  t.end();
});

await t.test('for people: a line for each check, and text of Nodes stays on its line', (t) => {
  const forged = {
    ...well,
    nodes: nodes({ ...created(300), metadata: { ...created(300).metadata, name: 'a\nok leader' } }),
  };
  const report: StatusReport = assess(forged, name, nowMs);
  const lines = statusLines(report).split('\n');
  t.strictSame(
    lines.map((line) => line.slice(0, 13).trim()),
    ['ok     leader', 'ok     clouds', 'ok     scope', 'ok     nodes', 'FAILED node', '', 'something is', ''],
  );
  for (const text of [...lines, statusJson(report).trimEnd()]) t.notMatch(text, /\p{C}/u);
  t.match(JSON.parse(statusJson(report)), { ok: false, leader });
  t.match(
    statusLines(assess(well, name, nowMs), (colour, text) => `<${colour} ${text}>`),
    /<green all is well>\n$/,
  );
  t.end();
});
