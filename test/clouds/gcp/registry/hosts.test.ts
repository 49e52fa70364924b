import t from 'tap';
import { matchRegistry } from '../../../../clouds/gcp/registry/hosts.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import { gcpConfig } from '../config.ts';
import { lookAlikeHosts } from '../look-alike-hosts.ts';

const regions = [
  'africa-south1',
  'asia-east1',
  'asia-east2',
  'asia-northeast1',
  'asia-northeast3',
  'asia-south2',
  'asia-southeast1',
  'asia-southeast3',
  'australia-southeast2',
  'europe-central2',
  'europe-north1',
  'europe-north2',
  'europe-southwest1',
  'europe-west1',
  'europe-west12',
  'me-central1',
  'me-central2',
  'me-west1',
  'northamerica-northeast1',
  'northamerica-northeast2',
  'northamerica-south1',
  'southamerica-east1',
  'southamerica-west1',
  'us-central1',
  'us-east1',
  'us-east4',
  'us-east5',
  'us-south1',
  'us-west1',
  'us-west4',
];

const containerRegistryHosts = [
  'gcr.io',
  ...['us', 'eu', 'asia', 'marketplace', 'mirror', 'k8s'].map((name) => `${name}.gcr.io`),
  // GKE's own images.
  'gke.gcr.io',
  ...regions.map((region) => `${region}-artifactregistry.gcr.io`),
  // Only Google can create a name below its own.
  'a.b.gcr.io',
];

const hosts: readonly (readonly [host: string, kind: string, region: string | undefined])[] = [
  ...containerRegistryHosts.map((host) => [host, 'gcr', undefined] as const),
  ...['us', 'europe', 'asia', ...regions].map(
    (place) => [`${place}-docker.pkg.dev`, 'artifact-registry', place] as const,
  ),
  ...regions.map((region) => [`docker.${region}.rep.pkg.dev`, 'artifact-registry', region] as const),
];

for (const [host, kind, region] of hosts) {
  await t.test(`${host} is ${kind}`, (t) => {
    t.match(match(`${host}/project/repository/app:1`), { kind, authKey: host, servesWholeHost: true });
    t.equal(match(`${host}/project/repository/app:1`)?.region, region);
    t.equal(match(`${host}:8443/project/repository/app`)?.authKey, `${host}:8443`, 'a port stays in the key');
    t.end();
  });
}

await t.test('there are more than 60 hosts that only look like one', (t) => {
  t.ok(lookAlikeHosts.length > 60, `${lookAlikeHosts.length}`);
  t.equal(new Set(lookAlikeHosts).size, lookAlikeHosts.length);
  t.end();
});

for (const image of lookAlikeHosts) {
  await t.test(`${image} is not`, (t) => {
    t.equal(match(image), undefined);
    t.end();
  });
}

const universes: readonly (readonly [host: string, ours: boolean])[] = [
  ['u-france-east1-docker.s3nsregistry.fr', true],
  ['docker.u-france-east1.rep.s3nsregistry.fr', true],
  ['docker.s3nsregistry.fr', true],
  ['s3nsregistry.fr', false],
  ['docker.evil.s3nsregistry.fr', false],
  ['u-france-east1-docker.evils3nsregistry.fr', false],
  // Only the universe's own services may get its token.
  ['us-west1-docker.pkg.dev', false],
  ['gcr.io', false],
  ['gke.gcr.io', false],
];
for (const [host, ours] of universes) {
  await t.test(`in the universe of s3nsregistry.fr ${host} is ${ours ? 'ours' : 'not'}`, (t) => {
    const config = { ...gcpConfig, registryDomain: 's3nsregistry.fr' };
    const image = { host, registry: host, repository: 'project/repository/app' };
    t.equal(matchRegistry(image, config) !== undefined, ours);
    t.end();
  });
}

function match(text: string) {
  const image = parseImageReference(text);
  return image && matchRegistry(image, gcpConfig);
}
