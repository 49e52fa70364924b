import t from 'tap';
import { createOpenstack } from '../../../clouds/openstack/index.ts';
import { runCloudConformance } from '../conformance.ts';
import { fakeHost } from '../fake-host.ts';
import { openstackConfig } from './openstack-lab.ts';

const cloud = createOpenstack({ env: {}, host: fakeHost({}), config: openstackConfig });

await runCloudConformance(t, cloud, { folder: 'openstack', images: [], hasEndpoint: false });
