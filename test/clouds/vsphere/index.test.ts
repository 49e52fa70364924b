import t from 'tap';
import { createVsphere } from '../../../clouds/vsphere/index.ts';
import { vsphereDefaults } from '../../../schemas/config/vsphere.defaults.ts';
import { runCloudConformance } from '../conformance.ts';
import { fakeHost } from '../fake-host.ts';
import { twoVcenters } from './config.ts';

const runtime = { env: {}, host: fakeHost({}) };

await runCloudConformance(t, createVsphere({ ...runtime, config: twoVcenters }), {
  folder: 'vsphere',
  hasEndpoint: false,
  images: [],
});

await t.test('without a vCenter it has nothing', (t) => {
  t.strictSame(createVsphere({ ...runtime, config: vsphereDefaults }), { name: 'vsphere' });
  t.end();
});
