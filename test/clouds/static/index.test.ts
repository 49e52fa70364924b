import t from 'tap';
import { createStatic } from '../../../clouds/static/index.ts';
import { defaultConfig } from '../../../schemas/config/defaults.ts';
import { runCloudConformance } from '../conformance.ts';
import { fakeHost } from '../fake-host.ts';

const auths = {
  'docker.example': { auth: Buffer.from('user:word').toString('base64') },
  'docker.example:5000/team': { username: 'user', password: 'word' },
  'https://index.docker.io/v1/': { username: 'user', password: 'word' },
};

const cloud = await createStatic({
  env: {},
  host: fakeHost({ '/docker.json': JSON.stringify({ auths }) }),
  config: {
    registries: ['files.example', 'files.example:5000/team'].map((match) => ({
      match,
      login: { usernameFile: '/user', passwordFile: '/word' },
    })),
    dockerConfigFiles: ['/docker.json'],
    static: { inventoryFile: '/inventory.yaml' },
  },
});

await runCloudConformance(t, cloud, {
  folder: 'static',
  hasEndpoint: false,
  images: [
    'files.example/app',
    'files.example:5000/team/app:1',
    'files.example:5000/team',
    'docker.example/team/app',
    'docker.example:5000/team/app@sha256:00',
    'library/app',
  ],
});

await t.test('without a configuration nothing is its own', async (t) => {
  const bare = await createStatic({ env: {}, host: fakeHost({}), config: defaultConfig });
  for (const registry of ['files.example', 'docker.io', 'public.ecr.aws']) {
    t.equal(bare.registry?.match({ host: registry, registry, repository: 'app' }), undefined);
  }
});
