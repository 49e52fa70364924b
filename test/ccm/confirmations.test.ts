import t from 'tap';
import { confirmationAnnotations, readConfirmation } from '../../ccm/confirmations.ts';
import { kubernetesLeaseStore } from '../../ccm/leader-election/kubernetes-lease-store.ts';
import { leases } from '../../lib/kubernetes/resources.ts';
import type { Lease } from '../../schemas/kubernetes.ts';
import { knownNode, startHarness } from './node-controller/harness.ts';

const key = 'polycloud.dev/confirm-deletions';
const lease: Lease = {
  metadata: { name: 'ccm', uid: 'u-1', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
};

function leaseWith(value: string): Lease {
  return { ...lease, metadata: { ...lease.metadata, annotations: { [key]: value } } };
}

await t.test('what the leader leaves on its Lease is what explain reads', async (t) => {
  const { api, cloud, controller, advance, logLines: said } = startHarness();
  api.put(knownNode({ name: 'awake' }));
  t.strictSame(confirmationAnnotations(controller), { [key]: null }, 'nothing to confirm');
  for (const name of ['a', 'b', 'c', 'd']) {
    cloud.setStatus(name, 'not-found');
    api.put(knownNode({ name, ready: false }));
  }
  await advance(1_000);
  const value = confirmationAnnotations(controller)[key] ?? '';
  const confirmation = readConfirmation(leaseWith(value), ['toy/there', 'toy/here']) ?? 'none';
  t.ok(
    said.some((line) => line.includes(`${key}=${confirmation}`)),
    'the very one that the log shows',
  );
  t.equal(readConfirmation(leaseWith(value), ['toy/there']), undefined, 'another scope has none');
});

await t.test('a foreign annotation on the Lease is not shown', (t) => {
  for (const value of [
    '',
    'null',
    '{',
    '[]',
    '{"toy/here": 1}',
    '{"toy/here": "a\\nb"}',
    '{"toy/here": "$(reboot)"}',
  ]) {
    t.equal(readConfirmation(leaseWith(value), ['toy/here']), undefined, value);
  }
  t.equal(readConfirmation(lease, ['toy/here']), undefined);
  t.end();
});

await t.test('it is written with each renewal', async (t) => {
  const patches: unknown[] = [];
  const client = {
    get: () => Promise.reject(new Error('not needed')),
    create: () => Promise.reject(new Error('not needed')),
    patch: (resource: unknown, _place: unknown, patch: unknown) => {
      if (resource === leases) patches.push(patch);
      return Promise.resolve(lease as never);
    },
  };
  const store = kubernetesLeaseStore(client, { namespace: 'kube-system', name: 'ccm' }, () => ({ [key]: null }));
  await store.update(lease, new AbortController().signal);
  t.strictSame(patches, [{ type: 'merge', body: { metadata: { annotations: { [key]: null } }, spec: {} } }]);
});
