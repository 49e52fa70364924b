import t from 'tap';
import { formatProviderId, parseProviderId, resourceKey } from '../../../clouds/azure/provider-id.ts';
import { traits } from '../../../clouds/azure/traits.ts';

const compute = 'azure:///subscriptions/1f/resourceGroups/rg/providers/Microsoft.Compute';

await t.test('a machine of its own, and one of a scale set', (t) => {
  t.strictSame(parseProviderId(`${compute}/virtualMachines/aks-Pool-1`), {
    is: 'machine',
    resource: { subscriptionId: '1f', resourceGroup: 'rg', scaleSet: undefined, name: 'aks-Pool-1' },
  });
  t.strictSame(parseProviderId(`${compute}/virtualMachineScaleSets/Pool-vmss/virtualMachines/17`), {
    is: 'machine',
    resource: { subscriptionId: '1f', resourceGroup: 'rg', scaleSet: 'Pool-vmss', name: '17' },
  });
  t.end();
});

await t.test('Azure writes ids in several cases: they are one machine, and one providerID', (t) => {
  for (const id of [`${compute}/virtualMachines/a`, `${compute}/virtualMachineScaleSets/s/virtualMachines/1`]) {
    const other = `azure://${id.slice('azure://'.length).toUpperCase()}`;
    const [first, second] = [parseProviderId(id), parseProviderId(other)];
    if (first.is !== 'machine' || second.is !== 'machine') throw new Error('it is not read');
    t.equal(resourceKey(first.resource), resourceKey(second.resource));
    t.equal(formatProviderId(first.resource), id);
    t.equal(formatProviderId({ ...second.resource, ...first.resource }), id);
  }
  t.end();
});

for (const example of traits.providerId.examples) {
  await t.test(`the example ${example} is written as it is read`, (t) => {
    const parsed = parseProviderId(example);
    t.equal(parsed.is === 'machine' && formatProviderId(parsed.resource), example);
    t.end();
  });
}

const others: Readonly<Record<string, string>> = {
  'azure://': 'unreadable',
  'azure:///': 'unreadable',
  'azure:/subscriptions/1': 'unreadable',
  [`${compute}/virtualMachines/`]: 'unreadable',
  [`${compute}/virtualMachines/a/b`]: 'unreadable',
  [`${compute}/virtualMachines/..%2f`]: 'unreadable',
  [`${compute}/virtualMachineScaleSets/s/virtualMachines/s_1`]: 'unreadable',
  [`${compute}/virtualMachineScaleSets/s`]: 'unreadable',
  [`${compute}/disks/d`]: 'unreadable',
  ' azure:///subscriptions/1': 'foreign',
  'aws:///us-west-2a/i-0123456789abcdef0': 'foreign',
  '': 'foreign',
};
for (const [text, is] of Object.entries(others)) {
  await t.test(`${JSON.stringify(text)} is ${is}`, (t) => {
    t.strictSame(parseProviderId(text), { is });
    t.end();
  });
}
