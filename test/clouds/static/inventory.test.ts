import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { readInventory } from '../../../clouds/static/inventory.ts';

await t.test('nothing of an inventory is quoted in a warning', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  const text = 'machines: []\n? { token: hidden-word }\n: !unknown hidden-word\n';
  const host = { readText: async () => text, runCommand: async () => '', homeDirectory: '/nowhere' };
  await t.rejects(readInventory('/etc/inventory.yaml', host), { name: 'Failure', kind: 'misconfigured' });
  await setImmediate();
  t.strictSame(warnings, []);
});
