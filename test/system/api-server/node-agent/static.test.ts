import t from 'tap';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requires } from '../../../lab/requires.ts';
import { startAgent, untilState } from './agent-process.ts';
import { isInitialized, register, untilNode, untilWarned, writesBy } from './nodes.ts';
import { startAgentEnvironment, environmentSupport } from './environment.ts';

await t.test('the inventory describes a machine without a cloud', requires(await environmentSupport()), async (t) => {
  const world = await startAgentEnvironment(t);
  await world.aws.addFault({ service: 'imds', kind: 'refuse' });
  const [config, inventory] = ['config.yaml', 'inventory.yaml'].map((name) => join(world.directory, name));
  if (config === undefined || inventory === undefined) throw new Error('two names are two files');
  await writeFile(config, `static: { inventoryFile: ${inventory} }\n`);
  await writeFile(inventory, 'machines: []\n');
  const flags = ['--detect-clouds', 'static', '--config', config, '--node-status-update-frequency', '200ms'];

  await register(world, { name: 'metal-1' });
  const agent = startAgent(world, { nodeName: 'metal-1', flags });
  t.match(await untilWarned(world, 'metal-1'), { reason: 'NodeInitFailed', message: /is not in the inventory/ });
  await writeFile(inventory, machines('rack-7'));
  const node = await untilNode(world, 'metal-1', 'is initialised', isInitialized);
  t.match(node, {
    metadata: { labels: { 'topology.kubernetes.io/zone': 'rack-7', 'example.com/row': '3' } },
    spec: { providerID: 'static://metal-1' },
    status: {
      addresses: [
        { type: 'InternalIP', address: '192.168.7.1' },
        { type: 'Hostname', address: 'metal-1' },
      ],
    },
  });

  await writeFile(inventory, machines('rack-8'));
  await untilNode(world, 'metal-1', 'has moved', (moved) => {
    return moved.metadata.labels?.['topology.kubernetes.io/zone'] === 'rack-8';
  });
  await untilState(agent, 'in-sync');
  t.equal((await writesBy(world, 'polycloud-node-agent', 'metal-1')).length, 3);
});

function machines(zone: string): string {
  const address = '{ type: InternalIP, address: 192.168.7.1 }';
  return `machines: [{ name: metal-1, addresses: [${address}], zone: ${zone}, labels: { example.com/row: '3' } }]\n`;
}
