import t from 'tap';
import type { AzureScopeConfig } from '../../../../schemas/config/azure.ts';
import { createSubscriptionScopes } from '../../../../clouds/azure/instances/scopes.ts';
import { nodeWith } from '../machines-lab.ts';

const one = '11111111-1111-4111-8111-1111111111aa';
const two = '22222222-2222-4222-8222-222222222222';
const prod: AzureScopeConfig = { name: 'prod', subscriptionId: one.toUpperCase() };
const edge: AzureScopeConfig = { name: 'edge', subscriptionId: two, resourceGroups: ['MC_Edge'] };
const own = createSubscriptionScopes({ scopes: [] }, {});
const named = createSubscriptionScopes({ scopes: [] }, { AZURE_SUBSCRIPTION_ID: one });
const configured = createSubscriptionScopes({ scopes: [prod, edge] }, {});

function idOf(subscriptionId: string, group: string): string {
  return `azure:///subscriptions/${subscriptionId}/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachines/a`;
}

const rows: readonly (readonly [scopes: typeof own, providerId: string, keys: readonly string[] | undefined])[] = [
  [own, '', ['azure/nowhere']],
  [own, 'azure:///x', ['azure/nowhere']],
  [own, 'aws:///us-west-2a/i-0123456789abcdef0', undefined],
  [configured, '', ['azure/prod', 'azure/edge']],
  [configured, idOf(one, 'any'), ['azure/prod']],
  [configured, idOf(one.toUpperCase(), 'any'), ['azure/prod']],
  [configured, idOf(two, 'mc_edge'), ['azure/edge']],
  [configured, idOf(two, 'other'), ['azure/nowhere']],
  [configured, idOf('33333333-3333-4333-8333-333333333333', 'any'), ['azure/nowhere']],
];
for (const [scopes, providerId, keys] of rows) {
  await t.test(`${providerId || 'no providerID'} is looked up in ${keys?.join() ?? 'no scope'}`, (t) => {
    t.same(
      scopes.scopesOf(nodeWith(providerId)),
      keys?.map((key) => ({ cloud: 'azure', key })),
    );
    t.end();
  });
}

await t.test('without a configuration each subscription is a scope, and its key does not show it', (t) => {
  const [first, second] = [own.scopesOf(nodeWith(idOf(one, 'a'))), own.scopesOf(nodeWith(idOf(two, 'a')))];
  t.match(first, [{ cloud: 'azure', key: /^azure\/[0-9a-f]{12}$/ }]);
  t.strictNotSame(first, second);
  t.strictSame(own.scopesOf(nodeWith(idOf(one.toUpperCase(), 'b'))), first);
  t.strictSame(named.scopesOf(nodeWith('')), first);
  t.notMatch(first?.[0]?.key, one.slice(-12));
  const [scope] = first ?? [];
  t.match(scope && own.find(scope), scope);
  t.end();
});

await t.test('a node that Azure does not manage is left alone', (t) => {
  const node = { ...nodeWith(idOf(one, 'any')), labels: { 'kubernetes.azure.com/managed': 'false' } };
  t.equal(own.scopesOf(node), undefined);
  t.end();
});

await t.test('a scope that does not exist', (t) => {
  for (const key of ['azure/nowhere', 'azure/other', 'aws/prod']) {
    t.equal(own.find({ cloud: 'azure', key }), undefined);
    t.equal(configured.find({ cloud: 'azure', key }), undefined);
  }
  t.end();
});
