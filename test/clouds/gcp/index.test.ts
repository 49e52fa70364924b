import t from 'tap';
import { createGcp } from '../../../clouds/gcp/index.ts';
import { runCloudConformance } from '../conformance.ts';
import { fakeHost } from '../fake-host.ts';
import { gcpConfig } from './config.ts';

const runtime = { env: {}, host: fakeHost({}) };

await runCloudConformance(t, createGcp({ ...runtime, config: gcpConfig }), {
  folder: 'gcp',
  // An access token is a login without another request.
  hasEndpoint: false,
  ownDomain: 'gcr.io',
  images: [
    'gcr.io/project/app:1',
    'us.gcr.io/project/app',
    'eu.gcr.io/project/app@sha256:00',
    'asia.gcr.io/project/app',
    'marketplace.gcr.io/google/app',
    'gke.gcr.io/pause',
    'us-east1-artifactregistry.gcr.io/gke-release/gke-release/pause',
    'us-west1-docker.pkg.dev/project/repository/app:1',
    'europe-docker.pkg.dev:5000/project/repository/app',
    'docker.europe-west4.rep.pkg.dev/project/repository/app',
  ],
});

await t.test('another universe', async (t) => {
  const config = { ...gcpConfig, universeDomain: 's3nsapis.fr', registryDomain: 's3nsregistry.fr' };
  await runCloudConformance(t, createGcp({ ...runtime, config }), {
    folder: 'gcp',
    hasEndpoint: false,
    images: [
      'u-france-east1-docker.s3nsregistry.fr/project/repository/app',
      'docker.s3nsregistry.fr/project/repository/app',
      'docker.u-france-east1.rep.s3nsregistry.fr/project/repository/app',
    ],
  });
});

await t.test('the hints for a kubelet', async (t) => {
  t.strictSame(createGcp({ ...runtime, config: gcpConfig }).registry?.kubeletHints?.(), {
    matchImages: ['gcr.io', '*.gcr.io', '*.pkg.dev', 'docker.*.rep.pkg.dev'],
    pod: {
      audienceRemedy: 'set gcp.workloadIdentityProvider in the configuration',
      audiencesWithoutAnnotation: /^(?:https:)?\/\/iam\.googleapis\.com\/|\.svc\.id\.goog$/,
      requiredAnnotations: [],
      optionalAnnotations: [
        'iam.gke.io/gcp-service-account',
        'cloud.google.com/service-account-email',
        'cloud.google.com/workload-identity-provider',
      ],
    },
  });
  const provider = 'projects/1/locations/global/workloadIdentityPools/p/providers/x';
  const config = { ...gcpConfig, registryDomain: 's3nsregistry.fr', workloadIdentityProvider: provider };
  t.match(createGcp({ ...runtime, config }).registry?.kubeletHints?.(), {
    matchImages: ['*.s3nsregistry.fr', 'docker.*.rep.s3nsregistry.fr'],
    pod: { audience: `https://iam.googleapis.com/${provider}` },
  });
});
