import t from 'tap';
import { catalogOf } from '../../../../clouds/openstack/identity/catalog.ts';
import type { EndpointInterface } from '../../../../clouds/openstack/identity/catalog.ts';

const endpoint = (region: string, url: string, from = 'public') => ({ interface: from, region_id: region, url });
const two = [
  {
    type: 'compute',
    endpoints: [
      endpoint('R1', 'https://nova.r1/v2.1/'),
      endpoint('R1', 'https://nova.internal/v2.1', 'internal'),
      endpoint('R2', 'https://nova.r2/v2.1'),
    ],
  },
  { type: 'network', endpoints: [endpoint('R1', 'https://neutron.r1/'), endpoint('R2', 'https://neutron.r2/v2.0/')] },
  { type: 'volumev3', endpoints: [endpoint('R3', 'https://cinder.r3')] },
];
const choice = (region: string | undefined, from: EndpointInterface = 'public') => ({ region, interface: from });

await t.test('the endpoints of a region, without a slash at the end, and Neutron’s without its version', (t) => {
  t.equal(catalogOf(two, choice('R1')).endpoint('compute').href, 'https://nova.r1/v2.1');
  t.equal(catalogOf(two, choice('R1')).endpoint('network').href, 'https://neutron.r1/');
  t.equal(catalogOf(two, choice('R2')).endpoint('network').href, 'https://neutron.r2/');
  t.equal(catalogOf(two, choice('R1', 'internal')).endpoint('compute').href, 'https://nova.internal/v2.1');
  t.end();
});

await t.test('without a region, the only one that has a Nova', (t) => {
  t.equal(catalogOf(two, choice(undefined, 'internal')).region, 'R1');
  const older = [{ type: 'compute', endpoints: [{ interface: 'public', region: 'Old', url: 'http://nova' }] }];
  t.equal(catalogOf(older, choice(undefined)).region, 'Old');
  t.throws(() => catalogOf(two, choice(undefined)), { kind: 'misconfigured', message: /the regions R1, R2$/ });
  t.throws(() => catalogOf(two, choice(undefined, 'admin')), { message: /has no region with Nova$/ });
  t.end();
});

await t.test('an endpoint that is not there names the regions that are', (t) => {
  t.throws(() => catalogOf(two, choice('R3')).endpoint('compute'), {
    kind: 'misconfigured',
    message: 'the catalog has no public endpoint of compute in region R3; Nova is in R1, R2',
  });
  const broken = [{ type: 'compute', endpoints: [endpoint('R1', 'ftp://a'), endpoint('R2', '')] }];
  for (const region of ['R1', 'R2']) {
    t.throws(() => catalogOf(broken, choice(region)).endpoint('compute'), { message: /is not a URL$/ });
  }
  t.end();
});
