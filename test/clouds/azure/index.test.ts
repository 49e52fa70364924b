import t from 'tap';
import { createAzure } from '../../../clouds/azure/index.ts';
import { Secret } from '../../../lib/secret.ts';
import { runCloudConformance } from '../conformance.ts';
import { unusedContext } from '../contexts.ts';
import { fakeHost } from '../fake-host.ts';
import { azureConfig } from './config.ts';

const settings = {
  env: {},
  host: fakeHost({}),
  config: { ...azureConfig, registrySuffixes: ['azurecr.region.stack.example'] },
};

await runCloudConformance(t, createAzure(settings), {
  folder: 'azure',
  hasEndpoint: true,
  hostStartsWithName: true,
  images: [
    'acme.azurecr.io/team/app:1',
    'acme.azurecr.io:5000/app',
    'acme-a1b2c3d4e5f6a7b8.azurecr.io/app',
    'acme.westeurope.geo.azurecr.io/app@sha256:00',
    'acme.azurecr.us/app',
    'acme.azurecr.cn/app',
    'acme.azurecr.de/app',
    'acme.azurecr.region.stack.example/app',
  ],
});

await t.test('a pod without an identity is refused before any request', async (t) => {
  const { registry } = createAzure(settings);
  const matched = registry?.match({ host: 'acme.azurecr.io', registry: 'acme.azurecr.io', repository: 'app' });
  if (registry === undefined || matched === undefined) throw new Error('it is not matched');
  const as = { kind: 'token' as const, token: new Secret('signed'), role: {} };
  await t.rejects(registry.logIn(matched, as, unusedContext), {
    kind: 'misconfigured',
    message: /no annotation names an Azure client id/,
  });
});
