import t from 'tap';
import { createDigitalocean } from '../../../clouds/digitalocean/index.ts';
import { runCloudConformance } from '../conformance.ts';
import { fakeHost } from '../fake-host.ts';
import { digitaloceanConfig } from './config.ts';

const cloud = createDigitalocean({ env: {}, host: fakeHost({}), config: digitaloceanConfig });

await runCloudConformance(t, cloud, {
  folder: 'digitalocean',
  hasEndpoint: true,
  images: [
    'registry.digitalocean.com/my-registry/app:1',
    'registry.digitalocean.com/my-registry/team/app@sha256:00',
    'registry.digitalocean.com:443/0/app',
  ],
});

await t.test('a login is for one registry of the host', (t) => {
  const repository = 'my-registry/team/app';
  const host = 'registry.digitalocean.com';
  t.match(cloud.registry?.match({ host, registry: host, repository }), {
    kind: 'docr',
    authKey: 'registry.digitalocean.com/my-registry',
    servesWholeHost: false,
    endpoint: new URL('https://api.digitalocean.com/'),
  });
  for (const other of ['app', 'my_registry/app', `${'a'.repeat(64)}/app`, '../app', 'My/app']) {
    t.equal(cloud.registry?.match({ host, registry: host, repository: other }), undefined, other);
  }
  t.end();
});

await t.test('the hints for a kubelet: there is no entry for pods', (t) => {
  t.strictSame(cloud.registry?.kubeletHints?.(), { matchImages: ['registry.digitalocean.com'] });
  t.end();
});
