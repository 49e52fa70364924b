import t from 'tap';
import { findOpenStack } from '../../lab/openstack/find-openstack.ts';
import { requires } from '../../lab/requires.ts';
import { testServices } from './services.ts';
import { openStackFor } from './world.ts';

// One file, so that OpenStack starts once.
await t.test('with the real Keystone, Nova and Neutron', requires(await findOpenStack()), async (t) => {
  const world = await openStackFor(t);
  await testServices(t, world);
});
