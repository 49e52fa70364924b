import t from 'tap';
import { canaryOf, describeCanary, isCanaryGood } from '../../../ccm/lifecycle/canary.ts';
import { stateOf } from '../../../ccm/lifecycle/observation.ts';
import type { LookupResult } from '../../../clouds/cloud.ts';
import { keys, wellKnown } from '../../../schemas/keys.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { notFound, running, unknown } from './harness.ts';

const wallMs = Date.parse('2026-11-18T12:05:00Z');
const metadata = { name: 'one', uid: 'uid-1', resourceVersion: '1', creationTimestamp: '2026-11-18T12:00:00Z' };
const bare: Node = { metadata, spec: {}, status: {} };

await t.test('a Node without status is not Ready and has no instance', async (t) => {
  t.strictSame(stateOf(bare, 'ours', wallMs), {
    uid: 'uid-1',
    ownership: 'ours',
    uninitialized: false,
    ready: false,
    beingDeleted: false,
    ageMs: 300_000,
    taints: new Set(),
  });
});

await t.test('the fields of a Node are read', async (t) => {
  const node: Node = {
    metadata: { ...metadata, deletionTimestamp: '2026-11-18T12:04:00Z' },
    spec: {
      providerID: 'cloud:///i-1',
      taints: [
        { key: wellKnown.uninitializedTaint, effect: 'NoSchedule' },
        { key: wellKnown.shutdownTaint, effect: 'NoSchedule' },
        { key: wellKnown.outOfServiceTaint, effect: 'NoExecute' },
      ],
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: keys.instanceCondition, status: 'False', reason: 'InstanceGone' },
      ],
    },
  };
  t.strictSame(stateOf(node, 'ours', wallMs), {
    uid: 'uid-1',
    ownership: 'ours',
    providerId: 'cloud:///i-1',
    uninitialized: true,
    ready: true,
    beingDeleted: true,
    ageMs: 300_000,
    taints: new Set(['shutdown', 'out-of-service']),
    reported: 'InstanceGone',
  });
});

await t.test('only True is Ready, only our own reasons are reports, and no date is no age', async (t) => {
  for (const status of ['False', 'Unknown'] as const) {
    t.equal(stateOf({ ...bare, status: { conditions: [{ type: 'Ready', status }] } }, 'ours', wallMs).ready, false);
  }
  const conditions = [{ type: keys.instanceCondition, status: 'False', reason: 'toString' }] as const;
  t.equal(stateOf({ ...bare, status: { conditions } }, 'ours', wallMs).reported, undefined);
  t.equal(stateOf({ ...bare, metadata: { ...metadata, creationTimestamp: '' } }, 'ours', wallMs).ageMs, 0);
});

const inList: LookupResult = {
  status: 'running',
  by: 'list',
  instance: { providerId: 'i', addresses: [], labels: {} },
};

await t.test('a canary is good if one of those that are there is found', async (t) => {
  for (const { findings, accessVerified, good, said } of [
    { findings: [unknown, running], accessVerified: undefined, good: true, said: '1 of 2 Ready nodes were found' },
    { findings: [inList], accessVerified: undefined, good: false, said: '0 of 1 Ready nodes were found' },
    {
      findings: [unknown, notFound, undefined],
      accessVerified: true,
      good: false,
      said: '0 of 3 Ready nodes were found',
    },
    { findings: [], accessVerified: true, good: true, said: 'access to the scope was verified' },
    { findings: [], accessVerified: false, good: false, said: 'access to the scope could not be verified' },
    { findings: [], accessVerified: undefined, good: false, said: 'access to the scope was not verified' },
  ]) {
    const canary = canaryOf(findings, accessVerified);
    t.equal(isCanaryGood(canary), good);
    t.match(describeCanary(canary), said);
  }
});
