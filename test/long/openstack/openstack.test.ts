import t from 'tap';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { findOpenStack } from '../../lab/openstack/find-openstack.ts';
import { requires } from '../../lab/requires.ts';
import { testAgent } from './agent.ts';
import { testEmbedded } from './embedded.ts';
import { testServices } from './services.ts';
import { openStackFor } from './world.ts';

/** On a machine with nothing else to do it takes about a minute. */
const timeoutMs = 480_000;
t.setTimeout(timeoutMs);

const needed = { ...requires(await findPrograms()), ...requires(await findOpenStack()) };

// One file, so that OpenStack starts once.
await t.test('with the real Keystone, Nova and Neutron', { ...needed, timeout: timeoutMs }, async (t) => {
  const world = await openStackFor(t);
  await testServices(t, world);
  await testEmbedded(t, world);
  await testAgent(t, world);
});
