import t from 'tap';
import { openResourceManager } from '../../../../clouds/azure/instances/resource-manager.ts';
import { virtualMachines, labGroup } from '../../../lab/clouds/azure/virtual-machine.ts';
import { azureConfig } from '../config.ts';
import { fakeHost } from '../../fake-host.ts';
import { startMachinesLab } from '../machines-lab.ts';

const { azure, context, setMachines, paths } = await startMachinesLab(t);
const settings = { env: {}, host: fakeHost({}), config: azureConfig };
const manager = openResourceManager({ config: undefined }, settings);
const machines = `${labGroup}/providers/Microsoft.Compute/virtualMachines`;
const query = { 'api-version': '2024-07-01' };

await t.test('a list is whole, or a failure', async (t) => {
  await setMachines(virtualMachines({ count: 5, number: 1 }));
  await azure.lab.update({ resourceManager: { pageSize: 2 } });
  t.equal((await manager.list(machines, query, context())).length, 5);
  t.equal((await paths()).length, 3);
  const pathPrefix = `${machines.toLowerCase()}?`;
  await azure.lab.addFault({ service: 'resource-manager', pathPrefix, kind: 'status', status: 500 });
  await t.rejects(manager.list(machines, query, context()), { name: 'Failure', kind: 'unavailable' });
});

const links: Readonly<Record<string, string>> = {
  'another host': 'https://evil.example/subscriptions/1',
  'another port': 'https://management.azure.com:8443/subscriptions/1',
  'without TLS': 'http://management.azure.com/subscriptions/1',
  'no address': 'https://[',
  'the same page': `https://management.azure.com${machines}?api-version=2024-07-01`,
};
for (const [what, nextLink] of Object.entries(links)) {
  await t.test(`the token is not sent on: ${what}`, async (t) => {
    const body = JSON.stringify({ value: [], nextLink });
    await azure.lab.addFault({ service: 'resource-manager', kind: 'status', status: 200, body });
    await t.rejects(manager.list(machines, query, context()), { name: 'Failure', kind: 'invalid-response' });
    t.equal((await paths()).length, 1);
  });
}

await t.test('a redirect is not followed', async (t) => {
  const fault = { kind: 'redirect', status: 307, location: 'https://evil.example/' } as const;
  await azure.lab.addFault({ service: 'resource-manager', ...fault });
  await t.rejects(manager.get(labGroup, query, context()), { name: 'Failure' });
  t.equal((await paths()).length, 1);
});
